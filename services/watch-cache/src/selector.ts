import type { FieldSelector } from "@orch/api/selectors/fields.js";
import type { LabelSelector } from "@orch/api/selectors/labels.js";
import { parseSelectors } from "@orch/api/selectors/selectors.js";
import type { Scope } from "@orch/cache/collection.js";
import type { CachedObject } from "./object.js";
import type { Readable } from "./readable.js";

/** Which objects a list or watch is about: a scope, and a test where the scope does not say it all. */
export interface Selector {
  readonly scope: Scope;
  readonly matches: ((object: CachedObject) => boolean) | undefined;
  /** Scope and selectors spelled out: equal texts, equal answers. */
  readonly id: string;
}

export interface SelectorRequest {
  readonly namespace: string;
  readonly name?: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

const nothing: Selector["matches"] = () => false;

export function selectorOf(readable: Readable, request: SelectorRequest): Selector {
  const { kind } = readable;
  const { labels, fields } = parseSelectors(kind, request);
  const name = request.name === undefined || request.name === "" ? fields?.exact.get("metadata.name") : request.name;
  const namespace = request.namespace === "" ? fields?.exact.get("metadata.namespace") : request.namespace;
  const scope = scopeOf(kind.namespaced, namespace, name);
  const id = `${request.namespace}|${request.name ?? ""}|${request.labelSelector}|${request.fieldSelector}`;
  const empty =
    request.name !== undefined &&
    request.name !== "" &&
    (fields?.exact.get("metadata.name") ?? request.name) !== request.name;
  return { scope, matches: empty ? nothing : matcher(kind.namespaced, labels, fields), id };
}

function scopeOf(namespaced: boolean, namespace: string | undefined, name: string | undefined): Scope {
  if (!namespaced) return name === undefined || name === "" ? { type: "all" } : { type: "key", key: name };
  if (namespace === undefined || namespace === "") return { type: "all" };
  return name === undefined || name === ""
    ? { type: "namespace", namespace }
    : { type: "key", key: `${namespace}/${name}` };
}

function matcher(
  namespaced: boolean,
  labels: LabelSelector | undefined,
  fields: FieldSelector | undefined,
): Selector["matches"] {
  if (labels === undefined && fields === undefined) return undefined;
  return (object) => {
    if (labels !== undefined && !labels.matches(object.labels)) return false;
    if (fields === undefined) return true;
    return fields.terms.every((t) => (fieldOf(object, t.field, namespaced) === t.value) === (t.operator === "="));
  };
}

function fieldOf(object: CachedObject, path: string, namespaced: boolean): string {
  const slash = namespaced ? object.key.indexOf("/") : -1;
  if (path === "metadata.name") return object.key.slice(slash + 1);
  if (path === "metadata.namespace") return slash < 0 ? "" : object.key.slice(0, slash);
  return object.fields?.[path] ?? "";
}
