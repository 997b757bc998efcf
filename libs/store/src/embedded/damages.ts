import type { Damage } from "../damaged-entry.js";
import type { Key } from "../revision.js";

/** The entries that are known to be damaged. */
export interface Damages {
  /** Said once of each. */
  found(damage: Damage): void;
  /** The key was written anew, or deleted. */
  mended(key: Key | undefined): void;
  /** A scrub has seen everything: what it did not find any more is gone. */
  seen(all: readonly Damage[]): void;
  readonly all: readonly Damage[];
  /** Whether there are any. */
  readonly some: boolean;
}

/** So many are remembered one by one; a medium that is worse off than that is not mended entry by entry. */
const most = 1000;

export function createDamages(tell: (damage: Damage) => void): Damages {
  let known = new Map<string, Damage>();
  const found = (damage: Damage): void => {
    const id = `${damage.revision} ${damage.key}`;
    if (known.has(id) || known.size >= most) return;
    known.set(id, damage);
    tell(damage);
  };
  return {
    found,
    mended(key) {
      for (const [id, damage] of known) if (damage.key === key) known.delete(id);
    },
    seen(all) {
      const ids = new Set(all.map(({ revision, key }) => `${revision} ${key}`));
      known = new Map([...known].filter(([id]) => ids.has(id)));
      for (const damage of all) found(damage);
    },
    get some() {
      return known.size > 0;
    },
    get all() {
      return [...known.values()];
    },
  };
}
