/** What can be in a crowd, in one at a time; the crowd alone writes its place. */
export interface Member {
  /** Where it stands; {@link outside} while it is in none. */
  place: number;
}

export const outside = -1;

/**
 * A set, in no order, of what comes and goes with every request. Not a Set: that one now and then begins a new table, and
 * the old one leads to it and to what stood in it then. Once one of them is in the old generation of the heap, each of
 * its successors counts as used until the next full collection, with all requests that were under way, and collecting
 * the young generation takes several times as long. Here nothing leads from what has gone to what has come later.
 */
export class Crowd<T extends Member> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.place = this.#members.push(member) - 1;
  }

  /** Nothing happens to one that is not there. */
  delete(member: T): void {
    const { place } = member;
    if (this.#members[place] !== member) return;
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[place] = last;
      last.place = place;
    }
    member.place = outside;
  }

  /** Those that are there now: the caller may remove members as it goes. */
  members(): readonly T[] {
    return [...this.#members];
  }
}
