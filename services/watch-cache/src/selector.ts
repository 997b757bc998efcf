import { hash } from "node:crypto";
import type { LabelAlternatives } from "@orch/api/selectors/alternatives.js";
import type { FieldSelector } from "@orch/api/selectors/fields.js";
import type { LabelSelector } from "@orch/api/selectors/labels.js";
import { parseSelectors } from "@orch/api/selectors/selectors.js";
import type { Exact } from "@orch/cache/feeds.js";
import type { Term } from "@orch/cache/indexes.js";
import { type Namespaces, namespaceOf, namespacesOf } from "@orch/cache/namespaces.js";
import type { Scope, Selection } from "@orch/cache/selection.js";
import type { Permitted } from "@orch/rpc/messages.js";
import type { CachedObject } from "./object.js";
import type { Readable } from "./readable.js";

/** Which objects a list or watch is about: a scope, and a test where the scope does not say it all. */
export interface Selector {
  readonly scope: Scope;
  readonly matches: ((object: CachedObject) => boolean) | undefined;
  /** What `matches` asks for, for indexes: the terms of one of these. */
  readonly alternatives: readonly (readonly Term[])[];
  readonly exact: Exact | undefined;
  /** Scope and selectors spelled out: equal texts, equal answers. */
  readonly id: string;
}

export interface SelectorRequest {
  readonly namespace: string;
  readonly name?: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly permitted?: Permitted | undefined;
}

const nothing: Selector["matches"] = () => false;

export function selectorOf(readable: Readable, request: SelectorRequest): Selector {
  const { kind } = readable;
  const { labels, fields } = parseSelectors(kind, request);
  const name = request.name === undefined || request.name === "" ? fields?.exact.get("metadata.name") : request.name;
  const namespace = request.namespace === "" ? fields?.exact.get("metadata.namespace") : request.namespace;
  const asked = scopeOf(kind.namespaced, namespace, name);
  const seen = request.permitted === undefined ? undefined : namespacesOf(request.permitted.namespaces);
  const scope = seen === undefined ? asked : withinSeen(asked, seen);
  const words = `${request.namespace}|${request.name ?? ""}|${request.labelSelector}|${request.fieldSelector}`;
  const id = seen === undefined ? words : `${words}|${digestOf(seen)}`;
  const empty =
    request.name !== undefined &&
    request.name !== "" &&
    (fields?.exact.get("metadata.name") ?? request.name) !== request.name;
  const ofFields = fieldTerms(fields);
  const alternatives = (labels?.alternatives ?? [undefined]).map((one) => [...ofFields, ...labelTerms(one)]);
  const [terms = [], ...others] = alternatives;
  return {
    scope,
    matches: empty ? nothing : matcher(labels, fields),
    alternatives,
    exact: exactOf(others.length === 0 ? terms : ofFields),
    id,
  };
}

const digestOf = ({ id }: Namespaces): string => hash("sha256", id, "base64");

/** Equal for equal namespaces, and never "". */
export function seenId({ namespaces }: Permitted): string {
  return digestOf(namespacesOf(namespaces));
}

/** What of a scope lies in the namespaces that a client may see. */
export function withinSeen(scope: Scope, namespaces: Namespaces): Scope {
  switch (scope.type) {
    case "all":
      return { type: "namespaces", namespaces };
    case "namespace":
      return namespaces.has(scope.namespace) ? scope : nowhere;
    case "key":
      return namespaces.has(namespaceOf(scope.key)) ? scope : nowhere;
    case "namespaces":
      return { type: "namespaces", namespaces: namespacesOf(namespaces.inOrder.filter(scope.namespaces.has)) };
  }
}

const nowhere: Scope = { type: "namespaces", namespaces: namespacesOf([]) };

/** What a collection is asked for. */
export function selectionOf({ scope, matches, alternatives }: Selector): Selection<CachedObject> {
  return { scope, alternatives, ...(matches === undefined ? {} : { matches }) };
}

const labelPath = "labels:";
const fieldPath = "fields:";

/** The value of an object at the path of a term. */
export function valueAt(object: CachedObject, path: string): string | undefined {
  if (path.startsWith(labelPath)) {
    const name = path.slice(labelPath.length);
    const { labels } = object;
    return labels !== undefined && Object.hasOwn(labels, name) ? labels[name] : undefined;
  }
  return fieldOf(object, path.slice(fieldPath.length));
}

function labelTerms(labels: LabelSelector | undefined): Term[] {
  return (labels?.requirements ?? []).flatMap(({ key, operator, values }): Term[] => {
    const path = labelPath + key;
    if (operator === "=" || operator === "==" || operator === "in") return [{ path, values }];
    return operator === "exists" || operator === "gt" || operator === "lt" ? [{ path }] : [];
  });
}

function fieldTerms(fields: FieldSelector | undefined): Term[] {
  return (fields?.terms ?? []).flatMap(({ field, operator, value }): Term[] =>
    operator === "=" ? [{ path: fieldPath + field, values: [value] }] : [],
  );
}

function exactOf(terms: readonly Term[]): Exact | undefined {
  for (const { path, values } of terms) {
    const [value, ...others] = values ?? [];
    if (value !== undefined && others.length === 0) return { path, value };
  }
  return undefined;
}

function scopeOf(namespaced: boolean, namespace: string | undefined, name: string | undefined): Scope {
  if (!namespaced) return name === undefined || name === "" ? { type: "all" } : { type: "key", key: name };
  if (namespace === undefined || namespace === "") return { type: "all" };
  return name === undefined || name === ""
    ? { type: "namespace", namespace }
    : { type: "key", key: `${namespace}/${name}` };
}

function matcher(labels: LabelAlternatives | undefined, fields: FieldSelector | undefined): Selector["matches"] {
  if (labels === undefined && fields === undefined) return undefined;
  return (object) => {
    if (labels !== undefined && !labels.matches(object.labels)) return false;
    if (fields === undefined) return true;
    return fields.terms.every((t) => (fieldOf(object, t.field) === t.value) === (t.operator === "="));
  };
}

function fieldOf(object: CachedObject, path: string): string {
  const slash = object.key.indexOf("/");
  if (path === "metadata.name") return object.key.slice(slash + 1);
  if (path === "metadata.namespace") return slash < 0 ? "" : object.key.slice(0, slash);
  return object.fields?.[path] ?? "";
}
