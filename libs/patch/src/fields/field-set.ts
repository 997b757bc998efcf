import { comparePathElements, fieldElement, type PathElement, pathElementOrder, self } from "./path-element.js";

/**
 * A set of field paths, as the tree that FieldsV1 is in JSON, so that what is stored is worked on as it is. A node
 * without entries, or with one for `.`, says that its path is a member; other entries are paths below it.
 *
 *     {"f:data": {".": {}, "f:a": {}}}   →   .data and .data.a
 *     {"f:data": {"f:a": {}}}            →   .data.a
 *
 * The tree itself is the root, which is never a member: `{}` is the empty set. No node has `.` alone. Elements are
 * canonical texts and stand in their order; what a walk over an object collects has to be {@link sorted} for that, and
 * operations on sets in order give sets in order. Sets are never written to: operations share what they do not change,
 * and give back an operand itself where the result is the same.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set while it is built. */
export interface FieldTree {
  [element: PathElement]: FieldTree;
}

/** The node of a path that is a member and has nothing below. */
export const leaf: FieldTree = Object.freeze({});
export const emptySet: FieldSet = leaf;

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the path of a node is a member. */
export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmpty(node);
}

/** Whether anything is below. */
export function hasBelow(node: FieldSet): boolean {
  for (const element in node) if (element !== self) return true;
  return false;
}

/** The node as a member, too. */
export function withSelf(node: FieldSet): FieldSet {
  return isMember(node) ? node : { [self]: leaf, ...node };
}

/** The set of these paths, each told by the names of its fields: `["spec", "replicas"]`. */
export function fieldSet(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>((set, path) => union(set, pathSet(path.map(fieldElement))), emptySet);
}

/** The set of one path. */
export function pathSet(path: readonly PathElement[]): FieldSet {
  return path.reduceRight<FieldSet>((node, element) => ({ [element]: node }), leaf);
}

/** Whether a path, not empty, is a member. */
export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  return unionOfLevels(a, b);
}

/** Neither is empty; `.` is an entry like the others. */
function unionOfLevels(a: FieldSet, b: FieldSet): FieldSet {
  let out: FieldTree | undefined;
  let added = false;
  for (const element in b) {
    const mine = a[element];
    const other = b[element];
    if (other === undefined) continue;
    const node = mine === undefined ? other : unionOfNodes(mine, other);
    if (node === mine) continue;
    out ??= { ...a };
    out[element] = node;
    added ||= mine === undefined;
  }
  if (out === undefined) return a;
  return added ? inOrder(Object.entries(out)) : out;
}

function inOrder(nodes: [PathElement, FieldSet][]): FieldSet {
  const compare = pathElementOrder();
  return Object.fromEntries(nodes.sort(([a], [b]) => compare(a, b)));
}

/** The union of any number of sets: each level is put together and sorted once. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first = emptySet, ...others] = sets.filter((set) => !isEmpty(set));
  return others.length === 0 ? first : inOrder(unitedLevel([first, ...others]));
}

function unitedLevel(levels: readonly FieldSet[]): [PathElement, FieldSet][] {
  const nodes = new Map<PathElement, FieldSet[]>();
  for (const level of levels) {
    for (const element in level) {
      const node = level[element];
      if (element === self || node === undefined) continue;
      const same = nodes.get(element);
      if (same === undefined) nodes.set(element, [node]);
      else same.push(node);
    }
  }
  return [...nodes].map(([element, same]) => [element, unitedNode(same)]);
}

function unitedNode(nodes: readonly FieldSet[]): FieldSet {
  const [first = leaf] = nodes;
  if (nodes.every((node) => node === first)) return first;
  const below = unitedLevel(nodes);
  if (below.length === 0) return leaf;
  return inOrder(nodes.some(isMember) ? [[self, leaf], ...below] : below);
}

function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmpty(a)) return withSelf(b);
  return isEmpty(b) ? withSelf(a) : unionOfLevels(a, b);
}

/** What is a member of both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? a : (commonLevel(a, b) ?? emptySet);
}

function commonLevel(a: FieldSet, b: FieldSet): FieldTree | undefined {
  let out: FieldTree | undefined;
  for (const element in b) {
    if (element === self) continue;
    const mine = a[element];
    const other = b[element];
    if (mine === undefined || other === undefined) continue;
    const node = commonNode(mine, other);
    if (node === undefined) continue;
    out ??= {};
    out[element] = node;
  }
  return out;
}

function commonNode(a: FieldSet, b: FieldSet): FieldTree | undefined {
  const below = commonLevel(a, b);
  if (!isMember(a) || !isMember(b)) return below;
  return below === undefined ? leaf : { [self]: leaf, ...below };
}

/** The members of `a` that are none of `b`. What is below a member of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return withoutLevel(a, b, withoutNode);
}

/** The members of `a` that neither are members of `b` nor are below one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return withoutLevel(a, b, withoutSubtree);
}

function withoutSubtree(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return isMember(b) ? undefined : keptNode(a, withoutLevel(a, b, withoutSubtree), isMember(a));
}

function withoutNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return keptNode(a, withoutLevel(a, b, withoutNode), isMember(a) && !isMember(b));
}

/** The node of what is left of `a` below, a member or not; undefined for nothing. */
export function keptNode(a: FieldSet, below: FieldSet, member: boolean): FieldSet | undefined {
  if (below === a && member === isMember(a)) return a;
  if (!hasBelow(below)) return member ? leaf : undefined;
  if (member) return withSelf(below);
  if (below[self] === undefined) return below;
  const { [self]: _, ...rest } = below;
  return rest;
}

/**
 * A level without what `remove` takes of the nodes that both have; `.` is left to the node's own level. It is copied once,
 * however many of its entries change, and never deleted from: an object is slow after that.
 */
function withoutLevel(a: FieldSet, b: FieldSet, remove: (a: FieldSet, b: FieldSet) => FieldSet | undefined): FieldSet {
  let changed: Map<PathElement, FieldSet | undefined> | undefined;
  for (const element in b) {
    const mine = a[element];
    const other = b[element];
    if (element === self || mine === undefined || other === undefined) continue;
    const node = remove(mine, other);
    if (node === mine) continue;
    changed ??= new Map();
    changed.set(element, node);
  }
  return changed === undefined ? a : levelWith(a, changed);
}

/** A copy of a level with other nodes; undefined for those that go. */
function levelWith(level: FieldSet, changed: ReadonlyMap<PathElement, FieldSet | undefined>): FieldSet {
  const out: FieldTree = {};
  for (const element in level) {
    const node = changed.has(element) ? changed.get(element) : level[element];
    if (node !== undefined) out[element] = node;
  }
  return out;
}

/** Whether every member of `a` is one of `b`. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const element in a) {
    if (element === self) continue;
    const mine = a[element];
    const other = b[element];
    if (mine === undefined) continue;
    if (other === undefined || (isMember(mine) && !isMember(other)) || !isSubset(mine, other)) return false;
  }
  return true;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return isSubset(a, b) && isSubset(b, a);
}

/** The members that have no members below. */
export function leaves(set: FieldSet): FieldSet {
  const out: FieldTree = {};
  for (const element in set) {
    const node = set[element];
    if (element !== self && node !== undefined) out[element] = isEmpty(node) ? leaf : leaves(node);
  }
  return out;
}

/** How many members there are. */
export function sizeOf(set: FieldSet): number {
  let size = 0;
  for (const element in set) {
    const node = set[element];
    if (element !== self && node !== undefined) size += (isMember(node) ? 1 : 0) + sizeOf(node);
  }
  return size;
}

/** Every member, those of a level before those below it, in the order of path elements. */
export function* paths(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  const elements = Object.entries(sorted(set)).filter(([element]) => element !== self);
  for (const [element, node] of elements) if (isMember(node)) yield [...prefix, element];
  for (const [element, node] of elements) if (hasBelow(node)) yield* paths(node, [...prefix, element]);
}

/** The set with its elements in their order, as FieldsV1 is written; itself where they are. */
export function sorted(set: FieldSet): FieldSet {
  return isSorted(set) ? set : sortedLevel(set);
}

function isSorted(set: FieldSet): boolean {
  let previous: PathElement | undefined;
  for (const element in set) {
    const node = set[element];
    if (previous !== undefined && comparePathElements(previous, element) > 0) return false;
    if (node !== undefined && !isSorted(node)) return false;
    previous = element;
  }
  return true;
}

function sortedLevel(set: FieldSet): FieldSet {
  let previous: PathElement | undefined;
  let ordered = true;
  let same = true;
  const nodes: [PathElement, FieldSet][] = [];
  for (const element in set) {
    const node = set[element];
    if (node === undefined) continue;
    const below = sortedLevel(node);
    nodes.push([element, below]);
    same &&= below === node;
    ordered &&= previous === undefined || comparePathElements(previous, element) < 0;
    previous = element;
  }
  if (same && ordered) return set;
  return ordered ? Object.fromEntries(nodes) : inOrder(nodes);
}
