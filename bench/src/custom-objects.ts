import { compared } from "./compared.js";
import { httpRequest, once, sleep } from "./load/load.js";
import { configMap, type Filling, fill, measureFanOut, measureRequests, nameOf, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import type { Target } from "./targets.js";

const group = "many.example.com";
const namespace = "many";
/** Objects that watched changes go around. */
const watched = 64;
const watchers = 100;

/** ConfigMaps, and custom objects that have the same data. */
const kinds: readonly (Filling & { readonly name: string })[] = [
  { name: "ConfigMap", pathIn: (of) => `/api/v1/namespaces/${of}/configmaps`, body: configMap },
  {
    name: "custom",
    pathIn: (of) => `/apis/${group}/v1/namespaces/${of}/things`,
    body: (name, picked) => configMap(name, picked).replace('"v1","kind":"ConfigMap"', `"${group}/v1","kind":"Thing"`),
  },
];

const schema = {
  type: "object",
  properties: { data: { type: "object", additionalProperties: { type: "string", maxLength: 4096 } } },
};

export interface CustomObjects {
  readonly timing: Timing;
  readonly connections: readonly number[];
  /** Path of the definitions, in the target's dialect. */
  readonly definitions: string;
  /** Of each kind. */
  readonly objects: number;
}

/** Lists, watches and writes among many custom objects of 1 KiB, each beside the same of ConfigMaps, by CPU time. */
export async function* benchCustomObjects(
  target: Target,
  { timing, connections, definitions, objects }: CustomObjects,
): AsyncGenerator<Row> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const names = { plural: "things", kind: "Thing" };
  const definition = {
    metadata: { name: `things.${group}` },
    spec: { group, scope: "Namespaced", names, versions: [version] },
  };
  const made = await once(endpoint, { method: "POST", path: definitions, body: JSON.stringify(definition) });
  if (made.code !== 201) throw new Error(`the definition of things was answered with ${made.code}`);
  await sleep(1500);
  for (const kind of kinds) await fill(target, namespace, objects, kind);
  const lists = (operation: string, query: string, count: number): AsyncGenerator<Row> =>
    compared(kinds, timing, (kind, each) => {
      const request = (e: typeof endpoint): Buffer =>
        httpRequest(e, { method: "GET", path: kind.pathIn(namespace) + query });
      const run = {
        operation: `${operation} ${kind.name}`,
        connections: count,
        request,
        success: isOk,
        unit: "B/s",
      } as const;
      return measureRequests(target, run, { timing: each, floor: undefined });
    });
  // One after the other: a list of all is a hundred megabytes.
  yield* lists(`list ${objects}`, "?resourceVersion=0", 1);
  for (const count of connections) {
    yield* lists(`list 500 of ${objects}`, "?limit=500", count);
    let created = 0;
    yield* compared(kinds, timing, (kind, each) => {
      const request = (e: typeof endpoint): Buffer =>
        httpRequest(e, { method: "POST", path: kind.pathIn(namespace), body: kind.body(`c${count}-${created++}`) });
      const success = (code: number): boolean => code === 201;
      const run = { operation: `create ${kind.name}`, connections: count, request, success, unit: "op/s" } as const;
      return measureRequests(target, run, { timing: each, floor: undefined });
    });
    yield* compared(kinds, timing, (kind, each) => {
      let updated = 0;
      const request = (e: typeof endpoint): Buffer => {
        const i = updated++;
        const patch = JSON.stringify({ data: { text: String(i).padStart(800, "0") } });
        const path = `${kind.pathIn(namespace)}/${nameOf(i % objects)}`;
        return httpRequest(e, { method: "PATCH", path, body: patch, contentType: "application/merge-patch+json" });
      };
      const run = {
        operation: `patch ${kind.name}`,
        connections: count,
        request,
        success: isOk,
        unit: "op/s",
      } as const;
      return measureRequests(target, run, { timing: each, floor: undefined });
    });
  }
  for (const kind of kinds) await fill(target, "watched", watched, kind);
  yield* compared(kinds, timing, async (kind, each) => {
    const path = kind.pathIn("watched");
    const list = await once(endpoint, { method: "GET", path: `${path}?limit=1` });
    const { metadata }: { metadata: { resourceVersion: string } } = JSON.parse(list.body?.toString() ?? "");
    const run = {
      ...{ operation: `watch fan-out ${kind.name}`, watchers },
      watchPath: `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`,
      event: (e: typeof endpoint, i: number) => {
        const body = JSON.stringify({ data: { text: String(i).padStart(800, "0") } });
        const one = `${path}/${nameOf(i % watched)}`;
        return httpRequest(e, { method: "PATCH", path: one, body, contentType: "application/merge-patch+json" });
      },
    };
    return measureFanOut(target, run, { timing: each, floor: undefined });
  });
}

const isOk = (code: number): boolean => code === 200;
