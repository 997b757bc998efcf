import {
  type FieldSet,
  type FieldTree,
  hasBelow,
  isEmpty,
  isMember,
  leaf,
  recursiveDifference,
  withSelf,
} from "./field-set.js";
import { fieldElement, type PathElement, self } from "./path-element.js";

/** What of some fields counts: all but those of a set and what is below them, or what a function leaves of them. */
export type FieldFilter = FieldSet | ((fields: FieldSet) => FieldSet);

export function filtered(fields: FieldSet, filter: FieldFilter): FieldSet {
  return typeof filter === "function" ? filter(fields) : recursiveDifference(fields, filter);
}

/** A step that stands for any. */
const any = "*";

interface Pattern {
  readonly [element: PathElement]: Pattern;
}

/**
 * Only the fields on a path to what a pattern names, and all below that: names of fields, `*` for any step.
 *
 *     onlyFields(["spec", "containers", "*", "resources"])
 */
export function onlyFields(...patterns: readonly (readonly string[])[]): (fields: FieldSet) => FieldSet {
  const whole = patterns.reduce<Pattern>((pattern, path) => withPath(pattern, path), {});
  return (fields) => kept(fields, whole);
}

function withPath(pattern: Pattern, [name, ...rest]: readonly string[]): Pattern {
  if (name === undefined) return pattern;
  const element = name === any ? any : fieldElement(name);
  return { ...pattern, [element]: withPath(pattern[element] ?? {}, rest) };
}

function kept(fields: FieldSet, pattern: Pattern): FieldSet {
  const out: FieldTree = {};
  for (const element in fields) {
    const node = fields[element];
    const below = pattern[any] ?? pattern[element];
    if (element === self || node === undefined || below === undefined) continue;
    const left = isEmpty(below) || isEmpty(node) ? node : keptNode(node, below);
    if (left !== undefined) out[element] = left;
  }
  return out;
}

function keptNode(node: FieldSet, pattern: Pattern): FieldSet | undefined {
  const below = kept(node, pattern);
  if (!hasBelow(below)) return isMember(node) ? leaf : undefined;
  return isMember(node) ? withSelf(below) : below;
}
