/** Keys of objects by what they have in common. An object is in one group at a time, or in none. */
export interface Groups {
  /** Puts it there, and takes it out of where it was; undefined is no group. */
  place(key: string, group: string | undefined): void;
  in(group: string): readonly string[];
}

export function createGroups(): Groups {
  const groupOf = new Map<string, string>();
  const members = new Map<string, Set<string>>();
  return {
    place(key, group) {
      const before = groupOf.get(key);
      if (before === group) return;
      if (before !== undefined) {
        const left = members.get(before);
        left?.delete(key);
        if (left?.size === 0) members.delete(before);
        groupOf.delete(key);
      }
      if (group === undefined) return;
      groupOf.set(key, group);
      members.set(group, (members.get(group) ?? new Set()).add(key));
    },
    in: (group) => [...(members.get(group) ?? [])],
  };
}
