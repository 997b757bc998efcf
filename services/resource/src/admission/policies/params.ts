import { type Catalog, isStored, type Kind } from "@orch/api/catalog.js";
import type { ParamKind, ParamRef } from "@orch/api/kinds/admissionregistration/types.js";
import { compileSelector } from "@orch/api/kinds/shared/label-selector.js";
import type { AnyObject } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import { isObject } from "@orch/schema/descriptor.js";
import { createMirror, type Mirror, type MirrorDeps } from "../../mirror.js";
import { keyOf, type Write } from "../../write/write.js";
import { storedAs } from "../matching/versions.js";

/** Why a policy or a binding cannot be asked as it is configured; the message says so. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}

/** The objects of a kind that policies are given. */
export interface ParamObjects {
  readonly kind: Kind;
  readonly mirror: Mirror;
  /** By their states as stored. */
  readonly shown: WeakMap<AnyObject, AnyObject>;
  readonly stop: () => void;
}

/** Follows the objects of every kind that a policy names as its parameters. */
export interface ParamSource {
  /** From now on of these kinds and no others; those that are not there are looked for again when they are asked for. */
  follow(kinds: readonly ParamKind[], catalog: Catalog): void;
  /** @throws ConfigurationError where there is no such kind */
  of(kind: ParamKind, catalog: Catalog): ParamObjects;
  stop(): void;
}

export function createParamSource(deps: Omit<MirrorDeps, "catalog">): ParamSource {
  const followed = new Map<string, ParamObjects>();
  let stopped = false;
  const find = (asked: ParamKind, catalog: Catalog): ParamObjects | undefined => {
    const { apiVersion = "", kind: name = "" } = asked;
    const at = keyOfKind(asked);
    const kind = catalog.kind(apiVersion, name);
    const held = followed.get(at);
    // A definition that changes makes another kind of it.
    if (held !== undefined && held.kind === kind) return held;
    held?.stop();
    followed.delete(at);
    if (kind === undefined || !isStored(kind)) return undefined;
    const mirror = createMirror(kind.stored, { ...deps, catalog });
    const objects: ParamObjects = { kind, mirror, shown: new WeakMap(), stop: stopped ? () => {} : mirror.start() };
    followed.set(at, objects);
    return objects;
  };
  return {
    follow(kinds, catalog) {
      const wanted = new Set(kinds.map(keyOfKind));
      for (const [at, { stop }] of followed) {
        if (wanted.has(at)) continue;
        stop();
        followed.delete(at);
      }
      for (const kind of kinds) find(kind, catalog);
    },
    of(kind, catalog) {
      const found = find(kind, catalog);
      if (found !== undefined) return found;
      throw new ConfigurationError(`failed to find resource referenced by paramKind: '${shownKind(kind)}'`);
    },
    stop() {
      stopped = true;
      for (const { stop } of followed.values()) stop();
    },
  };
}

const keyOfKind = ({ apiVersion = "", kind = "" }: ParamKind): string => `${apiVersion}/${kind}`;

/** `v1, Kind=ConfigMap`, with a slash before it in the core group. */
function shownKind({ apiVersion = "", kind = "" }: ParamKind): string {
  return `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${kind}`;
}

/** How long a write waits for the objects of a kind that a policy has named just now. */
const patienceMs = 1000;
const stepMs = 10;

export interface Collecting {
  readonly write: Write;
  /** Of the write; "" for cluster-scoped resources. */
  readonly namespace: string;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

/** What a binding gives to its policy: each is evaluated by itself. @throws ConfigurationError */
export async function collectParams(
  objects: ParamObjects,
  ref: ParamRef,
  { write, namespace, pause }: Collecting,
): Promise<readonly AnyObject[]> {
  const { kind, mirror } = objects;
  const { name = "", selector, parameterNotFoundAction } = ref;
  const within = namespaceOf(kind, ref, namespace);
  if (name !== "" && selector !== undefined) {
    throw new ConfigurationError("paramRef.name and paramRef.selector are mutually exclusive");
  }
  if (name === "" && selector === undefined) throw new ConfigurationError("one of name or selector must be provided");
  const found = await (name === ""
    ? selected(mirror, { within, selector, pause })
    : named(objects, { write, within, name }));
  if (found === undefined) {
    const shown = `paramKind kind \`${kind.apiVersion}, Kind=${kind.kind}\` not yet synced to use for admission`;
    throw new ConfigurationError(shown);
  }
  if (found.length === 0 && parameterNotFoundAction === "Deny") {
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return Promise.all(found.map((stored) => shownParam(objects, stored, write)));
}

function namespaceOf({ namespaced }: Kind, { namespace = "" }: ParamRef, ofWrite: string): string {
  if (!namespaced) {
    if (namespace === "") return "";
    throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (namespace !== "") return namespace;
  if (ofWrite !== "") return ofWrite;
  throw new ConfigurationError(
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  );
}

interface Selecting {
  readonly within: string;
  readonly selector: ParamRef["selector"];
  readonly pause: Collecting["pause"];
}

/** Undefined where the kind's objects are not known yet. */
async function selected(
  mirror: Mirror,
  { within, selector, pause }: Selecting,
): Promise<readonly AnyObject[] | undefined> {
  for (let waited = 0; !mirror.loaded; waited += stepMs) {
    if (waited >= patienceMs) return undefined;
    await pause(stepMs);
  }
  const compiled = compileSelector(selector);
  return mirror.inNamespace(within).filter(({ metadata }) => compiled?.matches(metadata.labels) === true);
}

/** As the mirror has it, or the store where the mirror has not heard of it yet. */
async function named(
  { kind, mirror }: ParamObjects,
  { write, within, name }: { readonly write: Write; readonly within: string; readonly name: string },
): Promise<readonly AnyObject[]> {
  const found = mirror.find(within, name);
  if (found !== undefined) return [found];
  const place: Write = { ...write, kind: kind.stored, request: { ...write.request, namespace: within } };
  const entry = await write.deps.store.get(keyOf(place, name));
  const stored: unknown = entry === undefined ? undefined : objectOf(entry.value);
  return isObject(stored) ? [{ metadata: {}, ...stored }] : [];
}

async function shownParam({ kind, shown }: ParamObjects, stored: AnyObject, write: Write): Promise<AnyObject> {
  const known = shown.get(stored) ?? (await storedAs(write, stored, kind));
  shown.set(stored, known);
  return known;
}
