import { setsGroup } from "@orch/naming/naming.js";
import { didYouMean } from "@orch/status/nearest.js";
import { exists, type Lifetime } from "./versions.js";

/** A resource in a version, as `Kind` of the catalog has it. */
export interface ServableResource {
  /** `""` is the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** With the releases that have it. */
export interface ServableKind extends ServableResource {
  readonly release: Lifetime;
}

/** What `--runtime-config` says, checked against the kinds and the release. */
export interface RuntimeConfig {
  /** By key: `api/beta`, `apps/v1`, `/v1` (core), `apps/v1/deployments`. */
  readonly values: ReadonlyMap<string, boolean>;
  /** Resources that the release does not have, by the same keys: nothing enables them. */
  readonly absent: ReadonlySet<string>;
  /** A sentence for each key that asks for what the release does not have. */
  readonly warnings: readonly string[];
}

export type ParsedRuntimeConfig =
  | { readonly ok: true; readonly config: RuntimeConfig }
  | { readonly ok: false; readonly problem: string };

/** Keys of whole classes of versions, the most special first. */
const classes: readonly (readonly [string, RegExp])[] = [
  ["api/ga", /^v\d+$/],
  ["api/beta", /^v\d+beta\d+$/],
  ["api/alpha", /^v\d+alpha\d+$/],
  ["api/all", /^/],
];
const classKeys = classes.map(([key]) => key);

const versionPattern = /^v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * Reads the entries of `--runtime-config`, each `<key>[=true|false]`, without a value true (rules: Groups and
 * enabling). Keys: `api/all`, `api/ga`, `api/beta`, `api/alpha`; `<group>/<version>`, in the core group also
 * `v1` and `api/v1`; `<group>/<version>/<resource>`. Of a key that comes twice the last value counts.
 * Anything that no kind answers to is a problem that names the key.
 */
export function parseRuntimeConfig(
  entries: readonly string[],
  known: { readonly kinds: readonly ServableKind[]; readonly release: string },
): ParsedRuntimeConfig {
  const names = namesOf(known.kinds);
  const absent = new Set(known.kinds.filter((kind) => !exists(kind.release, known.release)).map(keyOf));
  const values = new Map<string, boolean>();
  const warnings: string[] = [];
  for (const entry of entries) {
    const equals = entry.indexOf("=");
    const key = (equals < 0 ? entry : entry.slice(0, equals)).trim();
    const text = equals < 0 ? "" : entry.slice(equals + 1).trim();
    if (!["", "true", "false"].includes(text)) return problem(`${key}: the value must be true or false, not "${text}"`);
    const read = readKey(key, names);
    if ("problem" in read) return problem(`${key}: ${read.problem}`);
    const on = text !== "false";
    values.set(read.key, on);
    if (on && read.kinds?.every((kind) => absent.has(keyOf(kind)))) {
      warnings.push(`--runtime-config: ${key} changes nothing, release ${known.release} does not have it`);
    }
  }
  if (values.size === 1 && values.get("api/all") === false)
    return problem("api/all=false alone leaves nothing to serve");
  return { ok: true, config: { values, absent, warnings } };
}

function problem(text: string): ParsedRuntimeConfig {
  return { ok: false, problem: `--runtime-config: ${text}` };
}

/**
 * Whether a resource is served: what the most special key says (resource, then version, then stability, then
 * `api/all`), else `byDefault`; never where the release does not have it. Groups of ours are served where a key names them.
 */
export function servedBy(config: RuntimeConfig): (resource: ServableResource, byDefault: boolean) => boolean {
  const { values, absent } = config;
  return (resource, byDefault) => {
    const key = keyOf(resource);
    if (absent.has(key)) return false;
    const byClass = isOwn(resource)
      ? undefined
      : classes.find(([name, pattern]) => values.has(name) && pattern.test(resource.version));
    return (
      values.get(key) ??
      values.get(`${resource.group}/${resource.version}`) ??
      (byClass === undefined ? byDefault : values.get(byClass[0]) === true)
    );
  };
}

/** What no other implementation has: a class of versions means those that clients of the reference know. */
const isOwn = ({ group }: ServableResource): boolean => group === setsGroup;

const keyOf = ({ group, version, plural }: ServableResource): string => `${group}/${version}/${plural}`;

/** Kinds by group, then version. */
type Names = ReadonlyMap<string, ReadonlyMap<string, readonly ServableKind[]>>;

function namesOf(kinds: readonly ServableKind[]): Names {
  const groups = new Map<string, Map<string, ServableKind[]>>();
  for (const kind of kinds) {
    const versions = groups.get(kind.group) ?? new Map<string, ServableKind[]>();
    groups.set(kind.group, versions);
    versions.set(kind.version, [...(versions.get(kind.version) ?? []), kind]);
  }
  return groups;
}

/** A key in the form of {@link RuntimeConfig.values} with the kinds it names; a class names none. */
type ReadKey =
  | { readonly key: string; readonly kinds: readonly ServableKind[] | undefined }
  | { readonly problem: string };

function readKey(key: string, names: Names): ReadKey {
  if (classKeys.includes(key)) return { key, kinds: undefined };
  const parts = key.split("/");
  // The core group has no name: `v1`, `api/v1` and `/v1` are the same.
  if (versionPattern.test(parts[0] ?? "")) parts.unshift("");
  const isCore = parts[0] === "" || (parts[0] === "api" && versionPattern.test(parts[1] ?? ""));
  if (parts[0] === "api" && !isCore) return { problem: `unknown key${didYouMean(key, classKeys)}` };
  const group = isCore ? "" : (parts[0] ?? "");
  const [, version = "", resource] = parts;
  if (parts.length < 2 || parts.length > 3 || version === "" || resource === "") {
    return { problem: "the key must be api/<stability>, <group>/<version> or <group>/<version>/<resource>" };
  }
  const versions = names.get(group);
  if (versions === undefined) return { problem: `unknown API group ${group}${didYouMean(group, names.keys())}` };
  const kinds = versions.get(version);
  const shown = group === "" ? version : `${group}/${version}`;
  if (kinds === undefined) {
    const suggestions = [...versions.keys()].map((v) => (group === "" ? v : `${group}/${v}`));
    return { problem: `unknown API version ${shown}${didYouMean(shown, suggestions)}` };
  }
  if (resource === undefined) return { key: `${group}/${version}`, kinds };
  const named = kinds.filter((kind) => kind.plural === resource);
  if (named.length > 0) return { key: `${group}/${version}/${resource}`, kinds: named };
  const plurals = kinds.map((kind) => kind.plural);
  return { problem: `unknown resource ${resource} in ${shown}${didYouMean(resource, plurals)}` };
}
