import { type Endpoint, once, sleep } from "../load/load.js";
import type { Filling } from "../runs.js";

/** What is measured: a custom kind that is made like a ConfigMap, and ConfigMaps themselves. */
export interface Kind extends Filling {
  readonly name: string;
}

const group = "peer.example.com";
const keys = 10;
const valueLength = 90;
/** One object in so many carries the label that is asked for. */
const pickedEach = 10;

export const labelQuery = "labelSelector=pick%3Dme";

/** An object of about 1.6 KB as it is served, managed fields included. */
function objectOf(type: { readonly apiVersion: string; readonly kind: string }, name: string): string {
  const index = Number(/\d+$/.exec(name)?.[0] ?? 1);
  const labels = index % pickedEach === 0 ? { app: "bench", pick: "me" } : { app: "bench" };
  const data = Object.fromEntries(Array.from({ length: keys }, (_, i) => [`key-${i}`, "x".repeat(valueLength)]));
  return JSON.stringify({ ...type, metadata: { name, labels }, data });
}

export const things: Kind = {
  name: "things",
  pathIn: (namespace) => `/apis/${group}/v1/namespaces/${namespace}/things`,
  body: (name) => objectOf({ apiVersion: `${group}/v1`, kind: "Thing" }, name),
};

export const configMaps: Kind = {
  name: "ConfigMaps",
  pathIn: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  body: (name) => objectOf({ apiVersion: "v1", kind: "ConfigMap" }, name),
};

/** A merge patch that changes one value, another for each number. */
export function patchOf(index: number): string {
  return JSON.stringify({ data: { "key-0": String(index).padStart(valueLength, "0") } });
}

const schema = {
  type: "object",
  properties: { data: { type: "object", additionalProperties: { type: "string" } } },
};

/** Makes the definition of things at a path of definitions, and waits until they are served. @throws Error unless it is created */
export async function define(endpoint: Endpoint, definitions: string): Promise<void> {
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  const spec = { group, scope: "Namespaced", names, versions: [version] };
  const body = JSON.stringify({ metadata: { name: `things.${group}` }, spec });
  const made = await once(endpoint, { method: "POST", path: definitions, body });
  if (made.code !== 201) throw new Error(`the definition of things was answered with ${made.code}: ${made.body}`);
  const list = { method: "GET", path: things.pathIn("default") };
  while ((await once(endpoint, list)).code !== 200) await sleep(50);
}
