import { hash } from "node:crypto";
import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import { type CompiledRole, compileRole } from "./compiled-role.js";

/** One for all roles with the same rules: tenants have the same roles in every namespace. */
export interface SharedRole extends CompiledRole {
  readonly digest: string;
}

export interface SharedRoles {
  /** To be given back by `release`. */
  take(rules: readonly PolicyRule[]): SharedRole;
  release(role: SharedRole): void;
  readonly size: number;
}

export function createSharedRoles(): SharedRoles {
  const known = new Map<string, { readonly role: SharedRole; users: number }>();
  return {
    take(rules) {
      const digest = hash("sha256", JSON.stringify(rules), "base64");
      const entry = known.get(digest) ?? { role: { ...compileRole(rules), digest }, users: 0 };
      known.set(digest, entry);
      entry.users++;
      return entry.role;
    },
    release({ digest }) {
      const entry = known.get(digest);
      if (entry === undefined) return;
      entry.users--;
      if (entry.users === 0) known.delete(digest);
    },
    get size() {
      return known.size;
    },
  };
}
