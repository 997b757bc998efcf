import type { Kind } from "@orch/api/catalog.js";
import { withMetadata } from "@orch/api/object.js";
import { pathOf } from "@orch/client/objects.js";
import type { ObjectFormat } from "@orch/codec/negotiate.js";
import { encode } from "@orch/e2e/harness/wire.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";
import { blockYaml } from "./block-yaml.js";
import type { Subject } from "./kinds.js";

const mediaTypes: Readonly<Record<ObjectFormat, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  cbor: "application/cbor",
  protobuf: "application/vnd.kubernetes.protobuf",
};

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
export type PatchType = keyof typeof patchTypes;

export type Query = Readonly<Record<string, string>>;

function target({ kind, object }: Subject, query: Query, end: { name?: boolean; part?: string } = {}): string {
  const { namespace, name } = withMetadata(object).metadata;
  const scope = kind.namespaced && namespace !== undefined ? { namespace } : {};
  const collection = { group: kind.group, version: kind.version, resource: kind.plural, ...scope };
  const path = pathOf(collection, end.name === true ? name : undefined, end.part);
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

const dry: Query = { dryRun: "All", fieldValidation: "Warn" };
const isVirtual = (kind: Kind): boolean => !kind.verbs.includes("get");

export function createOf(subject: Subject, object: JsonObject, options: { as?: ObjectFormat; query?: Query } = {}) {
  const { as = "json", query = isVirtual(subject.kind) ? {} : dry } = options;
  const body = as === "yaml" ? blockYaml(object) : encode(as, subject.kind.type, object);
  return send("POST", target(subject, query), { type: mediaTypes[as], body });
}

/** `part`: a subresource. */
export function updateOf(subject: Subject, object: JsonObject, { part = "" }: { part?: string } = {}): FakeRequest {
  const at = target(subject, dry, { name: true, ...(part === "" ? {} : { part }) });
  return send("PUT", at, { type: mediaTypes.json, body: JSON.stringify(object) });
}

interface PatchOptions {
  readonly part?: string;
  readonly query?: Query;
}

export function patchOf(type: PatchType, subject: Subject, body: unknown, options: PatchOptions = {}): FakeRequest {
  const { part = "", query = {} } = options;
  const end = { name: true, ...(part === "" ? {} : { part }) };
  const all = { ...(type === "apply" ? { fieldManager: "patcher" } : {}), ...dry, ...query };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return send("PATCH", target(subject, all, end), { type: patchTypes[type], body: text });
}

export function readOf(subject: Subject, query: Query, options: { accept?: string; list?: boolean } = {}): FakeRequest {
  const { accept = "application/json", list = false } = options;
  return { method: "GET", target: target(subject, query, { name: !list }), headers: { accept } };
}

export function deleteOf(subject: Subject, body: unknown, options: { list?: boolean; query?: Query } = {}) {
  const { list = false, query = { dryRun: "All" } } = options;
  return send("DELETE", target(subject, query, { name: !list }), {
    type: mediaTypes.json,
    body: JSON.stringify(body),
  });
}

export function send(method: string, to: string, { type, body }: { type: string; body: string | Buffer }): FakeRequest {
  return { method, target: to, headers: { "content-type": type, "user-agent": "growth/1" }, body };
}

/** Of a subresource with bodies of its own. */
export function postPart(subject: Subject, part: string, body: unknown): FakeRequest {
  const at = target(subject, { dryRun: "All" }, { name: true, part });
  return send("POST", at, { type: mediaTypes.json, body: typeof body === "string" ? body : JSON.stringify(body) });
}

export function sizeOf({ body = "", target: to, headers = {} }: FakeRequest): number {
  const head = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, to.length);
  return Buffer.byteLength(body) + head;
}
