import type { UserInfo } from "../user.js";
import type { SubjectId } from "./subjects.js";

/** In which namespaces somebody has bindings; those of the whole cluster are none of them. */
export interface SubjectNamespaces {
  add(id: SubjectId, namespace: string): void;
  remove(id: SubjectId, namespace: string): void;
  of(user: UserInfo): ReadonlySet<string>;
  readonly size: number;
}

export function createSubjectNamespaces(): SubjectNamespaces {
  const known: Record<SubjectId["of"], Map<string, Set<string>>> = { users: new Map(), groups: new Map() };
  return {
    add({ of, name }, namespace) {
      if (namespace === "") return;
      const namespaces = known[of].get(name) ?? new Set();
      known[of].set(name, namespaces.add(namespace));
    },
    remove({ of, name }, namespace) {
      const namespaces = known[of].get(name);
      namespaces?.delete(namespace);
      if (namespaces?.size === 0) known[of].delete(name);
    },
    of({ name, groups }) {
      const all = new Set(known.users.get(name));
      for (const group of groups) for (const namespace of known.groups.get(group) ?? []) all.add(namespace);
      return all;
    },
    get size() {
      return known.users.size + known.groups.size;
    },
  };
}
