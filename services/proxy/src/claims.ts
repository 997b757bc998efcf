/** One of several who want the same place. */
export interface Claim {
  /** The lower one has it; of equal ones the one whose owner's name comes first. */
  readonly rank: number;
  readonly value: string;
}

/**
 * Who has which place. Two services may name the same external address and port, or an external address may be another's
 * cluster address: which of them has it depends on who they are, never on who came first.
 */
export interface Claims {
  claim(place: string, owner: string, claim: Claim): void;
  release(place: string, owner: string): void;
  /** The value of who has it; undefined: nobody does. */
  holder(place: string): string | undefined;
}

export function createClaims(): Claims {
  /** A place has one owner nearly always. */
  const places = new Map<string, Map<string, Claim>>();
  return {
    claim(place, owner, claim) {
      const owners = places.get(place);
      if (owners === undefined) places.set(place, new Map([[owner, claim]]));
      else owners.set(owner, claim);
    },
    release(place, owner) {
      const owners = places.get(place);
      if (owners?.delete(owner) === true && owners.size === 0) places.delete(place);
    },
    holder(place) {
      let best: (Claim & { readonly owner: string }) | undefined;
      for (const [owner, claim] of places.get(place) ?? []) {
        const isBetter =
          best === undefined || claim.rank < best.rank || (claim.rank === best.rank && owner < best.owner);
        if (isBetter) best = { ...claim, owner };
      }
      return best?.value;
    },
  };
}
