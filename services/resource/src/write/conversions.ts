import type { Kind } from "@orch/api/catalog.js";
import { needsWebhook, shapedAs } from "@orch/api/custom/shaped.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { decodeObject } from "@orch/api/writes.js";
import { complete } from "@orch/schema/complete.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { internalError } from "@orch/status/api-error.js";
import type { StoredState } from "./storing/recent-states.js";
import { type Encoded, encodeStored, storedObject, treeOf, withRevision } from "./storing/stored.js";
import type { KnownConversions, Write } from "./write.js";

/**
 * The versions of custom resources. Their objects are judged in the version of the request, and stored in another one if the
 * definition says so; what one becomes in the other is a matter of its name, or a webhook's.
 */

/** A stored object in the version of the request. @throws DamagedEntry, ApiError */
export function readStored(write: Write, state: StoredState): AnyObject | Promise<AnyObject> {
  const { custom } = write.kind;
  if (custom === undefined) return storedObject(write.kind, state);
  return shownIn(write, withMetadata(treeOf(state)), state.revision);
}

/** The same of many, with as few questions as there can be. */
export async function readAllStored(write: Write, states: readonly StoredState[]): Promise<readonly AnyObject[]> {
  const { kind } = write;
  if (kind.custom?.webhook === undefined) return Promise.all(states.map((state) => readStored(write, state)));
  const objects = states.map((state) => withMetadata(treeOf(state)));
  const foreign = objects.filter((object) => needsWebhook(kind, object["apiVersion"]));
  const converted = foreign.length === 0 ? [] : await write.deps.convert(kind, foreign, write.span);
  const made = new Map(foreign.map((object, i) => [object, converted[i]]));
  return objects.map((object, i) => withRevision(shapedAs(kind, made.get(object) ?? object), states[i]?.revision));
}

/** A stored object of any version as the request's version shows it; `revision` is undefined for one that was only tried. */
export function shownIn(write: Write, object: AnyObject, revision: number | undefined): AnyObject | Promise<AnyObject> {
  const { deps, kind, span } = write;
  if (needsWebhook(kind, object["apiVersion"])) {
    return deps
      .convert(kind, [object], span)
      .then(([converted = object]) => withRevision(shapedAs(kind, converted), revision));
  }
  // What was stored in this version under this definition has all that it shows.
  const isCurrent = object["apiVersion"] === kind.apiVersion && (revision ?? 0) > (kind.custom?.since ?? 0);
  const shown = isCurrent ? decodeObject(kind, object).object : shapedAs(kind, object);
  return withRevision(shown, revision);
}

/** An object in the version in which it is stored. @throws ApiError */
export function inStoredVersion(write: Write, object: AnyObject): AnyObject | Promise<AnyObject> {
  const { deps, kind, span } = write;
  const { stored } = kind;
  if (kind.custom === undefined || stored === kind) return object;
  if (kind.custom.webhook === undefined) return shapedAs(stored, object);
  const named = { ...object, kind: kind.kind, apiVersion: kind.apiVersion };
  return deps.convert(stored, [named], span).then(([converted = object]) => shapedAs(stored, converted));
}

/** What is stored of an object. @throws ApiError RequestEntityTooLarge */
export function encode(write: Write, object: AnyObject): Encoded | Promise<Encoded> {
  const { stored } = write.kind;
  const toStore = inStoredVersion(write, object);
  return toStore instanceof Promise
    ? toStore.then((late) => encodeStored(stored, late))
    : encodeStored(stored, toStore);
}

/** An object of one version in another one, for who owns which field; with what the reference always writes. */
export function convertFields(
  { deps, conversions, span }: Write,
  object: JsonObject,
  { from, to }: { readonly from: Kind; readonly to: Kind },
): AnyObject {
  const named = withMetadata({ ...object, kind: from.kind, apiVersion: from.apiVersion });
  if (to.custom?.webhook === undefined) return completed(to, { ...named, apiVersion: to.apiVersion });
  const known = conversions?.get(keyOf(named, to));
  if (known === undefined) throw new ConversionNeeded(() => deps.convert(to, [named], span), keyOf(named, to));
  return completed(to, known);
}

function completed(to: Kind, object: AnyObject): AnyObject {
  return withMetadata(complete(to.type, decodeObject(to, object).object));
}

/** Thrown by a step of a write that is a plain function: it is taken again once the conversion is known. */
class ConversionNeeded extends Error {
  readonly ask: () => Promise<readonly AnyObject[]>;
  readonly key: string;

  constructor(ask: () => Promise<readonly AnyObject[]>, key: string) {
    super("a conversion is not known yet");
    this.ask = ask;
    this.key = key;
  }
}

/** Versions that own fields of one object; each is asked for by itself. */
const mostConversions = 100;

/** A step that may need conversions by a webhook. @throws ApiError */
export function untilConverted<T>({ conversions }: Write, step: () => T): T | Promise<T> {
  return conversions === undefined ? step() : withConversions(conversions, step);
}

async function withConversions<T>(known: KnownConversions, step: () => T): Promise<T> {
  for (let left = mostConversions; left > 0; left--) {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      const [converted] = await error.ask();
      if (converted !== undefined) known.set(error.key, converted);
    }
  }
  throw internalError("the managed fields of the object have too many versions");
}

function keyOf(object: AnyObject, to: Kind): string {
  return `${to.apiVersion}\n${JSON.stringify(object)}`;
}
