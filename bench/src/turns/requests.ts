import type { Catalog } from "@orch/api/catalog.js";
import { decodeObject } from "@orch/api/writes.js";
import { printCbor } from "@orch/codec/cbor/print.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { wrapObject } from "@orch/codec/protobuf/envelope.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Shape } from "./shapes.js";

/** One request whose turns are measured. */
export interface Asked {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: Buffer;
}

type Named = Record<string, unknown> & { metadata: Record<string, unknown> };

function named({ apiVersion, kind }: Shape, object: object, name: string): Named {
  const { metadata, ...rest }: { metadata?: object } = object;
  return { apiVersion, kind, ...rest, metadata: { name, ...metadata } };
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Everything that is done with one object of a shape, in order: made, read, changed, deleted. */
export function* requestsOf(shape: Shape, bytes: number, catalog: Catalog): Generator<Asked> {
  const { path } = shape;
  const at = `${path}/big?fieldManager=bench`;
  const object = named(shape, shape.object(bytes), "big");
  const changed = named(shape, (shape.changed ?? shape.object)(bytes), "big");
  const dry = `${path}?dryRun=All&fieldManager=bench`;
  const delta = { metadata: { labels: { a: "b" } } };
  const ops = [{ op: "add", path: "/metadata/annotations", value: { a: "c" } }];
  const apply = (value: unknown) => ({
    method: "PATCH",
    contentType: "application/apply-patch+yaml",
    body: json(value),
  });
  yield { what: "create YAML", method: "POST", path: dry, contentType: "application/yaml", body: yaml(object) };
  yield { what: "create Protobuf", method: "POST", path: dry, ...protobuf(shape, object, catalog) };
  yield { what: "create CBOR", method: "POST", path: dry, contentType: "application/cbor", body: printCbor(object) };
  yield { what: "apply, new", path: `${path}/new?dryRun=All&fieldManager=bench`, ...apply(renamed(object, "new")) };
  yield { what: "create JSON", method: "POST", path: `${path}?fieldManager=bench`, body: json(object) };
  for (const [what, accept] of forms) yield { what: `get ${what}`, method: "GET", path: `${path}/big`, accept };
  for (const [what, accept] of forms) {
    const listed = accept.replace("PartialObjectMetadata", "PartialObjectMetadataList");
    yield { what: `list ${what}`, method: "GET", path: `${path}?limit=500`, accept: listed };
  }
  yield { what: "apply onto it", path: `${at}&force=true`, ...apply(changed) };
  yield { what: "update", method: "PUT", path: at, body: json(changed) };
  yield {
    what: "JSON patch, small",
    method: "PATCH",
    path: at,
    contentType: "application/json-patch+json",
    body: json(ops),
  };
  yield { what: "merge patch, small", method: "PATCH", path: at, contentType: merge, body: json(delta) };
  yield { what: "merge patch, large", method: "PATCH", path: at, contentType: merge, body: json(changed) };
  yield { what: "strategic patch, large", method: "PATCH", path: at, contentType: strategic, body: json(object) };
  yield { what: "delete", method: "DELETE", path: `${path}/big` };
  yield {
    what: "finalize",
    method: "PATCH",
    path: at,
    contentType: merge,
    body: json({ metadata: { finalizers: null } }),
  };
}

const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const table = "application/json;as=Table;g=meta.orch;v=v1";
const forms: readonly (readonly [string, string])[] = [
  ["JSON", "application/json"],
  ["YAML", "application/yaml"],
  ["pretty", "application/json;pretty=1"],
  ["Protobuf", "application/vnd.orch.protobuf"],
  ["CBOR", "application/cbor"],
  ["Table", table],
  ["metadata", "application/json;as=PartialObjectMetadata;g=meta.orch;v=v1"],
];

const renamed = (object: Named, name: string): Named => ({ ...object, metadata: { ...object.metadata, name } });
const yaml = (object: object): Buffer => Buffer.from(printYaml(object));

function protobuf({ apiVersion, kind }: Shape, object: object, catalog: Catalog) {
  const known = catalog.kind(apiVersion, kind);
  if (known === undefined) throw new TypeError(`the catalog has no ${apiVersion} ${kind}`);
  const raw = encodeMessage(known.type, decodeObject(known, object).object);
  return { contentType: "application/vnd.orch.protobuf", body: wrapObject({ apiVersion, kind }, raw) };
}
