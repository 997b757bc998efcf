import { inScope, type Scope } from "@orch/cache/selection.js";
import { ApiError } from "@orch/status/api-error.js";
import { causesOf, type Damage, type DamageRead, damageText } from "@orch/store/damaged-entry.js";

/** The objects of a collection whose stored value cannot be read: they are there, and nobody can say what they are. */
export interface Unreadables {
  add(key: string, damage: Damage): void;
  /** It was written anew, or deleted. */
  delete(key: string): void;
  /** @throws ApiError InternalError that names those of a scope: nothing that leaves them out may be answered. */
  refuse(scope: Scope): void;
  readonly size: number;
}

export function createUnreadables(): Unreadables {
  const known = new Map<string, Damage>();
  return {
    add: (at, damage) => void known.set(at, damage),
    delete: (at) => void known.delete(at),
    refuse(scope) {
      if (known.size === 0) return;
      if (scope.type === "key") {
        const damage = known.get(scope.key);
        if (damage !== undefined) throw unreadable([damage], "key");
        return;
      }
      const met = [...known].flatMap(([at, damage]) => (inScope(scope, at) ? [damage] : []));
      if (met.length > 0) throw unreadable(met);
    },
    get size() {
      return known.size;
    },
  };
}

export function unreadable(damages: readonly Damage[], read: DamageRead = "range"): ApiError {
  const causes = causesOf(damages, read);
  return new ApiError("InternalError", damageText(damages, read), causes === undefined ? {} : { details: { causes } });
}
