import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { graft, grown, reversedAt, valueIn } from "./grow.js";
import type { Subject } from "./kinds.js";
import { isContainer, type Place, type Step } from "./places.js";
import { createOf, patchOf, readOf, updateOf } from "./requests.js";
import { type Group, type Live, nobody, type Row } from "./rows.js";
import type { Shape } from "./samples.js";

export interface PlaceAndShape {
  readonly subject: Subject;
  readonly place: Place;
  readonly shape: Shape;
}

interface At extends PlaceAndShape {
  /** The subject's object with n elements at the place. */
  readonly grownTo: (n: number) => JsonObject;
}

/** Every way in which a list or map of one place meets the server. */
export function groupsOfPlace({ subject, place, shape }: PlaceAndShape): readonly Group[] {
  const grownTo = remembering((n) => grown(subject.object, place, { n, shape }));
  return groupsAt({ subject, place, shape, grownTo });
}

/** The last few results of whoever asked last: the rows of a group ask for the same objects, one group after the other. */
const last: { by: object | undefined; readonly made: Map<number, JsonObject> } = { by: undefined, made: new Map() };

function remembering(make: (n: number) => JsonObject): (n: number) => JsonObject {
  return (n) => {
    if (last.by !== make || last.made.size > 3) last.made.clear();
    last.by = make;
    const object = last.made.get(n) ?? make(n);
    last.made.set(n, object);
    return object;
  };
}

function groupsAt(at: At): readonly Group[] {
  const { subject, place, shape } = at;
  const { kind, name } = subject;
  const group = (what: string, live: Live, rows: readonly Row[]): Group => ({
    name: `${name} ${place.path} ${shape} ${what}`,
    kind: name,
    live,
    rows,
    bytes: (n) => Buffer.byteLength(JSON.stringify(grownAt(at, n))),
  });
  const created = group("new", nobody, creates(at));
  if (!kind.verbs.includes("update") || !isContainer(place.type)) return [created];
  const object = (n: number): JsonObject => grownAt(at, n);
  // One element, so that the way to the place is there.
  const before: Live = { by: "plant", kind, object: () => grownAt(at, 1) };
  if (shape !== "distinct" && shape !== "equal") return [created, group("onto", before, onto(at).slice(0, 3))];
  return [
    created,
    group("onto", before, onto(at)),
    group("over", { by: "plant", kind, object }, over(at)),
    group("tracked", tracked(at), over(at)),
    ...(kind.verbs.includes("patch") ? [group("applied", applied(at), overApplied(at))] : []),
  ];
}

/** The same for where the message of the place stands in other kinds: the widest ways only. */
export function shortGroupsOfPlace(at: PlaceAndShape): readonly Group[] {
  return groupsOfPlace(at).flatMap((group) => {
    if (group.name.endsWith(" new")) return [{ ...group, rows: group.rows.slice(0, 1) }];
    if (group.name.endsWith(" tracked")) return [{ ...group, rows: group.rows.slice(0, 2) }];
    return [];
  });
}

const grownAt = ({ grownTo }: At, n: number): JsonObject => grownTo(n);

function partOf({ place, subject }: At): { readonly part?: string } {
  const isStatus = place.path.startsWith("status.");
  return isStatus && subject.kind.subresources.some((s) => s.name === "status") ? { part: "status" } : {};
}

function creates(at: At): readonly Row[] {
  const { subject, shape } = at;
  const object = (n: number): JsonObject => grownAt(at, n);
  const strict = { fieldValidation: "Strict", ...(subject.kind.verbs.includes("get") ? { dryRun: "All" } : {}) };
  const encodings = shape === "wrong" || shape === "equal" || shape === "distinct" ? (["protobuf"] as const) : [];
  return [
    { name: "create", ask: (n) => createOf(subject, object(n)) },
    { name: "create Strict", ask: (n) => createOf(subject, object(n), { query: strict }) },
    { name: "create yaml", ask: (n) => createOf(subject, object(n), { as: "yaml" }) },
    { name: "create cbor", ask: (n) => createOf(subject, object(n), { as: "cbor" }) },
    ...encodings.map((as): Row => ({ name: `create ${as}`, ask: (n) => createOf(subject, object(n), { as }) })),
  ];
}

function onto(at: At): readonly Row[] {
  const { subject } = at;
  const object = (n: number): JsonObject => grownAt(at, n);
  const part = partOf(at);
  const small = (n: number): unknown => only(at, n);
  return [
    { name: "update", ask: (n) => updateOf(subject, object(n), part) },
    { name: "apply", ask: (n) => patchOf("apply", subject, object(n), part) },
    { name: "strategic", ask: (n) => patchOf("strategic", subject, small(n), part) },
    { name: "merge", ask: (n) => patchOf("merge", subject, small(n), part) },
    { name: "json add", ask: (n) => patchOf("json", subject, additions(at, n), part) },
  ];
}

/** Requests that find n elements. */
function over(at: At): readonly Row[] {
  const { subject, place } = at;
  const object = (n: number): JsonObject => grownAt(at, n);
  const part = partOf(at);
  const patches: readonly Row[] = [
    { name: "merge nothing", ask: () => patchOf("merge", subject, labelled, part) },
    { name: "merge away", ask: (n) => patchOf("merge", subject, withoutAll(at, n), part) },
    { name: "strategic reversed", ask: (n) => patchOf("strategic", subject, reversedAt(only(at, n), place), part) },
    { name: "strategic delete", ask: (n) => patchOf("strategic", subject, deletions(at, n), part) },
    { name: "strategic order", ask: (n) => patchOf("strategic", subject, ordering(at, n), part) },
    { name: "strategic unset", ask: (n) => patchOf("strategic", subject, primitiveDeletions(at, n), part) },
    { name: "json remove", ask: (n) => patchOf("json", subject, removals(at, n), part) },
    { name: "json test and replace", ask: (n) => patchOf("json", subject, replacements(at, n), part) },
    { name: "json move", ask: (n) => patchOf("json", subject, moves(at, n), part) },
    { name: "apply the same", ask: (n) => patchOf("apply", subject, object(n), part) },
    { name: "apply reversed", ask: (n) => patchOf("apply", subject, reversedAt(object(n), place), part) },
    {
      name: "apply forced",
      ask: (n) => patchOf("apply", subject, reversedAt(object(n), place), { ...part, query: { force: "true" } }),
    },
  ];
  const forms = ["application/yaml", "application/cbor", "application/vnd.kubernetes.protobuf", asTable, pretty];
  return [
    { name: "update to none", ask: () => updateOf(subject, subject.object, part) },
    { name: "update reversed", ask: (n) => updateOf(subject, reversedAt(object(n), place), part) },
    ...(subject.kind.verbs.includes("patch") ? patches : []),
    { name: "get", ask: () => readOf(subject, { resourceVersion: "" }) },
    ...forms.map((accept): Row => ({ name: `list ${accept}`, ask: () => readOf(subject, {}, { accept, list: true }) })),
  ];
}

const asTable = "application/json;as=Table;g=meta.k8s.io;v=v1";
const pretty = "application/json;pretty=1";
const labelled = { metadata: { labels: { changed: "yes" } } };

/** Requests on what one manager applied. */
function overApplied(at: At): readonly Row[] {
  const { subject } = at;
  const mine = { ...partOf(at), query: { fieldManager: "owner" } };
  const object = (n: number): JsonObject => grownAt(at, n);
  return [
    { name: "apply less", ask: () => patchOf("apply", subject, configuration(subject.object), mine) },
    { name: "apply more", ask: (n) => patchOf("apply", subject, configuration(object(n * 2)), mine) },
    {
      name: "take over",
      ask: (n) => patchOf("apply", subject, configuration(object(n)), { ...partOf(at), query: { force: "true" } }),
    },
    {
      name: "conflict",
      ask: (n) => patchOf("apply", subject, reversedAt(configuration(object(n)), at.place), partOf(at)),
    },
  ];
}

function configuration(object: JsonObject): JsonObject {
  const { metadata } = object;
  const { managedFields: _, ...rest } = isObject(metadata) ? metadata : {};
  return { ...object, metadata: rest };
}

/** Created by a client, so that it owns n fields. */
function tracked(at: At): Live {
  const { subject } = at;
  const { kind, object } = subject;
  const asks = (n: number) => [createOf(subject, grownAt(at, n), { query: { fieldManager: "owner" } })];
  return { by: "asks", kind, object, asks };
}

function applied(at: At): Live {
  const { subject } = at;
  const { kind, object } = subject;
  const query = { fieldManager: "owner", dryRun: "" };
  const asks = (n: number) => {
    const request = patchOf("apply", subject, configuration(grownAt(at, n)), { query });
    return [{ ...request, target: request.target.replace("dryRun=&", "") }];
  };
  return { by: "asks", kind, object, asks };
}

/** A patch that has nothing but the place. */
function only(at: At, n: number): JsonObject {
  return sparse(at, (value) => value, n);
}

/** The place's value in a tree of its own, changed; lists on the way keep the keys of their first item. */
function sparse(at: At, change: (value: unknown) => unknown, n: number): JsonObject {
  const { place } = at;
  const whole = grownAt(at, n);
  const value = valueIn(whole, place.steps);
  const patch = place.steps.reduceRight<unknown>((inner, step, i) => {
    const original = valueIn(whole, place.steps.slice(0, i));
    return step.to === "item" ? [keyed(inner, original)] : { [nameAt(step, original)]: inner };
  }, change(value));
  return isObject(patch) ? patch : {};
}

function nameAt(step: Step, original: unknown): string {
  if (step.to === "field") return step.name;
  return isObject(original) ? (Object.keys(original)[0] ?? "k") : "k";
}

function keyed(inner: unknown, list: unknown): unknown {
  const [first] = Array.isArray(list) ? list : [];
  return isObject(inner) && isObject(first) && "name" in first ? { name: first["name"], ...inner } : inner;
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withoutAll(at: At, n: number): JsonObject {
  return sparse(at, (v) => (isObject(v) ? Object.fromEntries(Object.keys(v).map((k) => [k, null])) : []), n);
}

function deletions(at: At, n: number): JsonObject {
  const gone = (item: unknown): unknown => (isObject(item) ? { ...item, $patch: "delete" } : item);
  return sparse(at, (v) => (Array.isArray(v) ? v.map(gone) : { ...Object(v), $patch: "delete" }), n);
}

/** Beside the place: directives that name it. */
function beside(at: At, directive: string, n: number): JsonObject {
  const { steps } = at.place;
  const last = steps.at(-1);
  if (last?.to !== "field") return only(at, n);
  const parent = steps.slice(0, -1);
  const value = valueIn(only(at, n), steps);
  const named = graft(only(at, n), parent, (old) => {
    const { [last.name]: _gone, ...rest } = isObject(old) ? old : {};
    return { ...rest, [`${directive}/${last.name}`]: elementsOf(value).toReversed() };
  });
  return isObject(named) ? named : {};
}

const ordering = (at: At, n: number): JsonObject => beside(at, "$setElementOrder", n);
const primitiveDeletions = (at: At, n: number): JsonObject => beside(at, "$deleteFromPrimitiveList", n);

/** More operations than this are refused whole. */
const maxOperations = 10_000;

function pointer(at: At): string {
  const steps = at.place.steps.map((step) => (step.to === "field" ? step.name : step.to === "item" ? "0" : "k"));
  return `/${steps.map((s) => s.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}

function operations(at: At, n: number, of: (at: string, value: unknown, i: number) => readonly unknown[]) {
  const value = valueIn(grownAt(at, n), at.place.steps);
  const root = pointer(at);
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, i) => [String(i), item] as const)
    : Object.entries(Object(value));
  return entries
    .slice(0, maxOperations / 2)
    .flatMap(([name, item], i) => of(`${root}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, item, i));
}

function additions(at: At, n: number): readonly unknown[] {
  const isList = at.place.type.kind === "list";
  const start = { op: "add", path: pointer(at), value: isList ? [] : {} };
  const add = (path: string, value: unknown): readonly unknown[] => [
    { op: "add", path: isList ? `${pointer(at)}/0` : path, value },
  ];
  return [start, ...operations(at, n, add)];
}

function removals(at: At, n: number): readonly unknown[] {
  const isList = at.place.type.kind === "list";
  return operations(at, n, (path) => [{ op: "remove", path: isList ? `${pointer(at)}/0` : path }]);
}

function replacements(at: At, n: number): readonly unknown[] {
  return operations(at, n, (path, value) => [
    { op: "test", path, value },
    { op: "replace", path, value },
  ]);
}

function moves(at: At, n: number): readonly unknown[] {
  return operations(at, n, (path, _value, i) => [
    { op: "move", from: path, path: i % 2 === 0 ? path : `${pointer(at)}/0` },
  ]);
}
