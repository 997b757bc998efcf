import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { type Document, document } from "./document.js";
import { encode } from "./protobuf.js";
import { documentV2 } from "./v2-messages.js";
import { documentV3 } from "./v3-messages.js";

/** What servers of others say of their group-versions. */
export interface OtherDocuments {
  readonly two: readonly OtherV2[];
  /** By section: `apis/example.com/v1`. */
  readonly three: ReadonlyMap<string, OtherV3>;
}

/** The part of a document of version 2 that is about one group-version. */
export interface OtherV2 {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
  readonly parameters: JsonObject;
}

export type OtherV3 = Document;

/** Deeper than any schema; what is deeper was made to be deep. */
const maxDepth = 100;

/**
 * What a document of version 2 says of the paths below `root` (`/apis/example.com/v1`). Undefined where it is none, or says what
 * has no place in ours.
 */
export function readOtherV2(value: unknown, root: string): OtherV2 | undefined {
  if (!isObject(value) || !isObject(value["paths"]) || isTooDeep(value)) return undefined;
  const paths = below(value["paths"], root);
  const used = createUsed(value);
  const found = used(paths);
  return isPrintable({ swagger: "2.0", paths, ...found }, documentV2) ? { paths, ...found } : undefined;
}

/** As {@link readOtherV2}, of a document of version 3. */
export function readOtherV3(value: unknown, root: string): OtherV3 | undefined {
  if (!isObject(value) || !isObject(value["paths"]) || isTooDeep(value)) return undefined;
  const { openapi = "3.0.0", info = {}, components = {} } = value;
  const own = { openapi, info, paths: below(value["paths"], root), components };
  return isPrintable(own, documentV3) ? document(own, documentV3) : undefined;
}

function below(paths: JsonObject, root: string): JsonObject {
  return Object.fromEntries(
    Object.entries(paths).filter(
      ([path, item]) => (path === `${root}/` || path.startsWith(`${root}/`)) && isObject(item),
    ),
  );
}

/** Both encodings must be possible: one bad part would spoil the whole document. */
function isPrintable(value: JsonObject, shape: Parameters<typeof encode>[1]): boolean {
  try {
    encode(value, shape);
    return true;
  } catch {
    return false;
  }
}

/** Without recursion: a text can be nested deeper than the stack is. */
function isTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}

type Section = "definitions" | "parameters";
const sections: readonly Section[] = ["definitions", "parameters"];

/** What a part of a document refers to, and what that refers to. */
function createUsed(whole: JsonObject): (part: JsonObject) => Record<Section, JsonObject> {
  return (part) => {
    const found = { definitions: new Map<string, unknown>(), parameters: new Map<string, unknown>() };
    const waiting: unknown[] = [part];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      for (const [section, name] of referencesIn(value)) {
        const all = whole[section];
        if (found[section].has(name) || !isObject(all) || !Object.hasOwn(all, name)) continue;
        found[section].set(name, all[name]);
        waiting.push(all[name]);
      }
    }
    return {
      definitions: Object.fromEntries(found.definitions),
      parameters: Object.fromEntries(found.parameters),
    };
  };
}

function referencesIn(root: unknown): readonly (readonly [Section, string])[] {
  const found: (readonly [Section, string])[] = [];
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const reference = key === "$ref" ? referenceOf(inner) : undefined;
      if (reference !== undefined) found.push(reference);
      if (typeof inner === "object" && inner !== null) waiting.push(inner);
    }
  }
  return found;
}

/** `#/definitions/a.B` → `definitions`, `a.B`. */
function referenceOf(value: unknown): readonly [Section, string] | undefined {
  if (typeof value !== "string") return undefined;
  const section = sections.find((one) => value.startsWith(`#/${one}/`));
  return section === undefined ? undefined : [section, value.slice(section.length + 3)];
}

/**
 * A document of version 2 with the parts of others. What is there stays as it is: a path that is there already is left out, and a
 * definition of the same name that says something else gets a name of its own (`a.B_v2`).
 */
export function withOthers(own: JsonObject, others: readonly OtherV2[]): JsonObject {
  if (others.length === 0) return own;
  const paths = new Map(entriesOf(own["paths"]));
  const kept = {
    definitions: new Map(entriesOf(own["definitions"])),
    parameters: new Map(entriesOf(own["parameters"])),
  };
  for (const other of others) {
    const names = namesFor(other, kept);
    const renamed = (value: unknown): unknown => (names.size === 0 ? value : withNames(value, names));
    for (const section of sections) {
      for (const [name, value] of Object.entries(other[section])) {
        const called = names.get(`#/${section}/${name}`)?.slice(section.length + 3) ?? name;
        if (!kept[section].has(called)) kept[section].set(called, renamed(value));
      }
    }
    for (const [path, item] of Object.entries(other.paths)) if (!paths.has(path)) paths.set(path, renamed(item));
  }
  return {
    ...own,
    paths: Object.fromEntries(paths),
    definitions: Object.fromEntries(kept.definitions),
    parameters: Object.fromEntries(kept.parameters),
  };
}

type Kept = Record<Section, ReadonlyMap<string, unknown>>;

/** New references for those whose names are taken by something else. */
function namesFor(other: OtherV2, kept: Kept): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const section of sections) {
    for (const [name, value] of Object.entries(other[section])) {
      const there = kept[section].get(name);
      if (there === undefined || JSON.stringify(there) === JSON.stringify(value)) continue;
      let number = 2;
      while (kept[section].has(`${name}_v${number}`)) number++;
      names.set(`#/${section}/${name}`, `#/${section}/${name}_v${number}`);
    }
  }
  return names;
}

/** Its depth was bounded when it was read. */
function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withNames(one, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string" ? (names.get(inner) ?? inner) : withNames(inner, names),
    ]),
  );
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : [];
