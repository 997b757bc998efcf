import { type FieldSet, type FieldTree, isMember, keptNode, leaf } from "./field-set.js";
import { type PathElement, self } from "./path-element.js";

/**
 * A set that a great many small ones are held against. The operations of `field-set.ts` walk the second operand, which
 * is mostly the small one; these walk the first, and ask of the second what it has in a time that does not grow with it.
 */
export interface IndexedSet {
  readonly member: boolean;
  readonly below: ReadonlyMap<PathElement, IndexedSet>;
}

export function indexed(set: FieldSet): IndexedSet {
  return { member: false, below: indexedLevel(set) };
}

function indexedLevel(level: FieldSet): ReadonlyMap<PathElement, IndexedSet> {
  const below = new Map<PathElement, IndexedSet>();
  for (const element in level) {
    const node = level[element];
    if (element !== self && node !== undefined) {
      below.set(element, { member: isMember(node), below: indexedLevel(node) });
    }
  }
  return below;
}

/** As `intersection`. */
export function commonWith(a: FieldSet, b: IndexedSet): FieldSet {
  return commonLevel(a, b) ?? leaf;
}

function commonLevel(a: FieldSet, b: IndexedSet): FieldTree | undefined {
  let out: FieldTree | undefined;
  for (const element in a) {
    const mine = a[element];
    const other = element === self ? undefined : b.below.get(element);
    if (mine === undefined || other === undefined) continue;
    const below = commonLevel(mine, other);
    const member = other.member && isMember(mine);
    if (below === undefined && !member) continue;
    out ??= {};
    out[element] = below === undefined ? leaf : member ? { [self]: leaf, ...below } : below;
  }
  return out;
}

/** As `difference`: the members of `a` that are none of `b`; `a` itself where that is all of them. */
export function without(a: FieldSet, b: IndexedSet): FieldSet {
  const out: FieldTree = {};
  let same = true;
  for (const element in a) {
    const mine = a[element];
    const other = element === self ? undefined : b.below.get(element);
    if (mine === undefined) continue;
    const node = other === undefined ? mine : keptNode(mine, without(mine, other), isMember(mine) && !other.member);
    same &&= node === mine;
    if (node !== undefined) out[element] = node;
  }
  return same ? a : out;
}
