import { isObject } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import { type FieldSet, type FieldTree, isEmpty, isMember, leaf, withSelf } from "./field-set.js";
import {
  comparePathElements,
  isPlainElement,
  type PathElement,
  PathElementError,
  pathElementOrder,
  readPathElement,
  self,
} from "./path-element.js";

/** A set, or why a tree is none. */
export type ReadFieldSet = { readonly set: FieldSet } | { readonly wrong: string };

/**
 * A FieldsV1 tree (rules: ManagedFieldsEntry) as a set in canonical form: the tree itself where it is in that form,
 * as everything is that was written by {@link sorted}. Elements of unknown kinds are passed over.
 */
export function readFieldSet(fields: unknown): ReadFieldSet {
  if (isObject(fields) && isPlain(fields)) return { set: fields };
  try {
    return { set: readLevel(fields, true) };
  } catch (thrown) {
    if (thrown instanceof PathElementError) return { wrong: thrown.message };
    throw thrown;
  }
}

/** Trees that {@link isPlain} holds for: those of an object that is changed again are the same. */
const plain = new WeakSet<object>();

/** Whether a tree is surely in canonical form: what is stored nearly always is. */
function isPlain(tree: object): tree is FieldSet {
  if (plain.has(tree)) return true;
  if (!isPlainLevel(tree, true)) return false;
  plain.add(tree);
  return true;
}

function isPlainLevel(tree: object, root: boolean): tree is FieldSet {
  let previous: PathElement | undefined;
  for (const element in tree) {
    const node: unknown = Reflect.get(tree, element);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return false;
    if (element === self) {
      if (root || previous !== undefined || !isEmptyObject(node)) return false;
    } else {
      if (!isPlainElement(element) || !isPlainLevel(node, false)) return false;
      if (previous !== undefined && previous !== self && comparePathElements(previous, element) >= 0) return false;
    }
    previous = element;
  }
  return previous !== self;
}

function readLevel(tree: unknown, root: boolean): FieldSet {
  if (tree === null) return leaf;
  if (!isObject(tree)) throw new PathElementError(`expected an object of fields, got ${jsonText(tree)}`);
  let canonical = true;
  let previous: PathElement | undefined;
  const nodes: [PathElement, FieldSet][] = [];
  for (const text in tree) {
    const element = text === self ? self : readPathElement(text);
    const given = tree[text];
    if (element === undefined || (element === self && root)) {
      canonical = false;
      continue;
    }
    const node = element === self ? leaf : readLevel(given, false);
    canonical &&= element === text && (node === given || (element === self && isObject(given) && isEmptyObject(given)));
    canonical &&= previous === undefined || comparePathElements(previous, element) < 0;
    previous = element;
    nodes.push([element, node]);
  }
  if (canonical && isFieldSet(tree, nodes.length)) return tree;
  return collected(nodes);
}

function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** What was found canonical in all its parts: a tree with `.` alone is not. */
function isFieldSet(tree: object, size: number): tree is FieldSet {
  return !(size === 1 && self in tree);
}

/** Of nodes of one element the last that has entries says what is below; a member is one by any of them. */
function collected(nodes: readonly (readonly [PathElement, FieldSet])[]): FieldSet {
  const compare = pathElementOrder();
  const out: FieldTree = {};
  for (const [element, node] of [...nodes].sort(([a], [b]) => compare(a, b))) {
    const earlier = out[element];
    const later = earlier === undefined || !isEmpty(node) ? node : earlier;
    const member = isMember(node) || (earlier !== undefined && isMember(earlier));
    out[element] = member ? withSelf(later) : later;
  }
  const names = Object.keys(out);
  return names.length === 1 && names[0] === self ? leaf : out;
}
