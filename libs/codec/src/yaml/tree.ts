import { extendedPath } from "@orch/schema/decode.js";
import { jsonText } from "@orch/status/json-text.js";
import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { maxDepth, maxDuplicates, type Read } from "../decoded.js";
import { createRepeatedKeys, type RepeatedKeys } from "../repeated-keys.js";
import { readPlain } from "./scalar.js";

export type Tree = Read | { readonly ok: false; readonly problem: string };

/** Bytes that aliases may add to a document: as many as the largest body has. A node counts the bytes that it takes. */
const aliasBudget = 3 * 1024 * 1024;
const nodeBytes = 16;

const knownTags = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq", "merge"].map((t) => `tag:yaml.org,2002:${t}`),
);
const stringTag = "tag:yaml.org,2002:str";

class Refusal {
  constructor(readonly problem: string) {}
}

interface Walk {
  readonly anchors: Map<string, unknown>;
  /** The node that an alias meant where it was written: its anchor may be given to another node further down. */
  readonly targets: Map<Alias, unknown>;
  readonly repeated: RepeatedKeys;
  /** What is told of repeated keys. */
  readonly lines: string[];
  /** The line of a place in the text, the first is 1. */
  readonly lineOf: (offset: number) => number;
  /** Aliases around the present node. */
  within: number;
  spent: number;
}

/**
 * A composed document as the JSON value it stands for. Keys become strings (`1:` → `"1"`, `yes:` → `"true"`),
 * `<<` merges, aliases are copied within a budget.
 */
export function toTree(root: unknown, lineOf: (offset: number) => number): Tree {
  const lines: string[] = [];
  const walk: Walk = {
    ...{ anchors: new Map(), targets: new Map(), within: 0, spent: 0 },
    ...{ repeated: createRepeatedKeys(), lines, lineOf },
  };
  try {
    const value = toValue(root, walk, { path: "", depth: 0 });
    return { ok: true, value, duplicates: walk.repeated.paths(), repeatedLines: lines };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { ok: false, problem: refusal.problem };
    throw refusal;
  }
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

function toValue(node: unknown, walk: Walk, place: Place): unknown {
  if (place.depth > maxDepth) throw new Refusal(`exceeded max depth of ${maxDepth}`);
  if (node === null || node === undefined) return null;
  if (isAlias(node)) {
    const target = targetOf(node, walk);
    walk.within++;
    const value = toValue(target, walk, { path: place.path, depth: place.depth + 1 });
    walk.within--;
    return value;
  }
  if (walk.within > 0) spend(walk, nodeBytes);
  if (isMap(node)) return mapValue(noted(node, walk), walk, place);
  if (isSeq(node)) return listValue(noted(node, walk), walk, place);
  if (isScalar(node)) return scalarValue(noted(node, walk), walk, place);
  throw new Refusal("unexpected node");
}

function spend(walk: Walk, amount: number): void {
  walk.spent += amount;
  if (walk.spent > aliasBudget) throw new Refusal("document contains excessive aliasing");
}

function noted<N extends { readonly anchor?: string | undefined; readonly tag?: string | undefined }>(
  node: N,
  walk: Walk,
): N {
  if (node.anchor !== undefined && walk.within === 0) walk.anchors.set(node.anchor, node);
  if (node.tag !== undefined && !knownTags.has(node.tag)) throw new Refusal(`unknown tag ${node.tag}`);
  return node;
}

function targetOf(alias: Alias, walk: Walk): unknown {
  const known = walk.targets.get(alias);
  if (known !== undefined) return known;
  const target = walk.anchors.get(alias.source);
  if (target === undefined) throw new Refusal(`unknown anchor '${alias.source}' referenced`);
  walk.targets.set(alias, target);
  return target;
}

function scalarValue(node: Scalar, walk: Walk, place: Place): unknown {
  const text = typeof node.value === "string" ? node.value : (node.source ?? "");
  if (walk.within > 0) spend(walk, text.length);
  if (node.tag === stringTag || (node.type !== undefined && node.type !== Scalar.PLAIN && node.tag === undefined))
    return text;
  const plain = readPlain(text);
  if (plain.ok) return plain.value;
  throw new Refusal(place.path === "" ? plain.problem : `${plain.problem} (${place.path})`);
}

function listValue(node: YAMLSeq, walk: Walk, place: Place): unknown[] {
  return node.items.map((item, i) =>
    toValue(item, walk, { path: extendedPath(place.path, i), depth: place.depth + 1 }),
  );
}

function mapValue(node: YAMLMap, walk: Walk, place: Place): Record<string, unknown> {
  const own = new Map<string, unknown>();
  const merged: Record<string, unknown>[] = [];
  for (const pair of node.items) {
    if (isMergeKey(pair.key)) {
      for (const source of mergeSources(pair.value, walk, place)) merged.push(source);
      continue;
    }
    const key = keyText(pair.key, walk, place);
    const path = extendedPath(place.path, key);
    const isRepeated = own.has(key) && walk.within === 0;
    if (isRepeated) walk.repeated.add(() => path);
    own.set(key, toValue(pair.value, walk, { path, depth: place.depth + 1 }));
    if (isRepeated) tellRepeated(pair, key, walk);
  }
  const value: Record<string, unknown> = {};
  for (const [key, item] of own) define(value, key, item);
  // Keys of the map itself win over merged ones, an earlier source over a later one.
  for (const source of merged) {
    for (const [key, item] of Object.entries(source)) if (!Object.hasOwn(value, key)) define(value, key, item);
  }
  return value;
}

/** After what is repeated inside of its value, and by the line of that: so does the reference's reader. */
function tellRepeated({ key, value }: Pair, text: string, { lines, lineOf }: Walk): void {
  if (lines.length === maxDuplicates) return;
  const isText = isScalar(key) && (key.type !== Scalar.PLAIN || typeof plainValue(key) === "string");
  const at = startOf(value) ?? startOf(key) ?? 0;
  lines.push(`line ${lineOf(at)}: key ${isText ? jsonText(text) : text} already set in map`);
}

function plainValue({ source = "" }: Scalar): unknown {
  const read = readPlain(source);
  return read.ok ? read.value : source;
}

/** Undefined for a value that is not there: the reader of the text has it begin where it would stand. */
function startOf(node: unknown): number | undefined {
  if (!isNode(node) || (isScalar(node) && node.source === "")) return undefined;
  return node.range?.[0];
}

/** An assignment to the key `__proto__` would set the prototype. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.source === "<<" && (key.type === undefined || key.type === Scalar.PLAIN);
}

function mergeSources(node: unknown, walk: Walk, place: Place): Record<string, unknown>[] {
  const at = { path: place.path, depth: place.depth + 1 };
  const target = isAlias(node) ? targetOf(node, walk) : node;
  const sources = isSeq(target) ? target.items : [node];
  return sources.map((source) => {
    const value = toValue(source, walk, at);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    throw new Refusal("map merge requires map or sequence of maps as the value");
  });
}

function keyText(key: unknown, walk: Walk, place: Place): string {
  const value = toValue(key, walk, { path: place.path, depth: place.depth + 1 });
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  throw new Refusal("a map key must be a string, a number or a boolean");
}
