import { readFileSync } from "node:fs";
import { type ApiObject, isApiObject, isRecord } from "@orch/client/objects.js";

/** An object of a data file: it says of what kind it is and has a name. */
export interface NamedObject extends ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ApiObject["metadata"] & { readonly name: string };
}

/** A small valid object of a kind. */
export interface Manifest {
  readonly object: NamedObject;
  /** Values at dotted paths that an update may set; none for what cannot be changed. */
  readonly change: Readonly<Record<string, unknown>>;
  /** What its status may be set to, where it has one. */
  readonly status: Readonly<Record<string, unknown>> | undefined;
}

/** An object in a version that is gone, at a release that still served it. */
export interface RemovedManifest {
  readonly object: NamedObject;
  readonly release: string;
  readonly warning: string;
  /** The release that removed the version. */
  readonly removed: string;
  /** A version in which it can be read at that release, too; undefined where there is none. */
  readonly through: string | undefined;
  /** What stands there then, at dotted paths. */
  readonly expect: Readonly<Record<string, unknown>>;
}

/**
 * Of these the server says something in their status by itself, and what is deleted goes a moment later, as in the reference:
 * who expects that nothing moves leaves them to `live-kinds.test.ts`.
 */
export const livingKinds: ReadonlyMap<string, RegExp> = new Map([
  ["CustomResourceDefinition", /"Established"/],
  ["APIService", /"ServiceNotFound"/],
  ["ResourceQuota", /"used"/],
]);

/** Whether the server has said its own word of an object, where it has one to say. */
export function hasSettled({ kind }: { readonly kind: string }, text: string): boolean {
  return livingKinds.get(kind)?.test(text) !== false;
}

export interface ManifestFile<Row> {
  /** Of the namespaced objects. */
  readonly namespace: string;
  readonly kinds: readonly Row[];
}

/** One object of every kind, in the kubernetes dialect. @throws Error for a file of another form */
export function readManifests(): ManifestFile<Manifest> {
  return readRows("manifests.json", (row) => {
    const { object, change = {}, status } = row;
    if (!isNamed(object) || !isRecord(change) || !(status === undefined || isRecord(status))) return undefined;
    return { object, change, status };
  });
}

/** Objects in versions that later releases removed, in the kubernetes dialect. @throws Error as above */
export function readRemovedManifests(): ManifestFile<RemovedManifest> {
  return readRows("removed-versions.json", (row) => {
    const { object, release, warning, removed, through, expect = {} } = row;
    if (!isNamed(object) || !isRecord(expect) || !(through === undefined || isText(through))) return undefined;
    if (!isText(release) || !isText(warning) || !isText(removed)) return undefined;
    return { object, release, warning, removed, through, expect };
  });
}

function readRows<Row>(
  name: string,
  rowOf: (row: Readonly<Record<string, unknown>>) => Row | undefined,
): ManifestFile<Row> {
  const file: unknown = JSON.parse(readFileSync(new URL(`../../data/${name}`, import.meta.url), "utf8"));
  const { namespace, kinds } = isRecord(file) ? file : {};
  if (!isText(namespace) || !Array.isArray(kinds)) throw new Error(`${name} has no namespace or no kinds`);
  return {
    namespace,
    kinds: kinds.map((row: unknown) => {
      const read = isRecord(row) ? rowOf(row) : undefined;
      if (read === undefined) throw new Error(`a row of ${name} that cannot be read: ${JSON.stringify(row)}`);
      return read;
    }),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";

function isNamed(value: unknown): value is NamedObject {
  if (!isApiObject(value)) return false;
  return isText(value.apiVersion) && isText(value.kind) && isText(value.metadata.name);
}
