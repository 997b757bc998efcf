import type { MessageType, Type } from "@orch/schema/descriptor.js";
import { isStored, type Kind } from "../catalog.js";
import type { Subresource } from "../data-file.js";
import { answersDeletedObject } from "../deleted-objects.js";
import { subresourceKind } from "../subresource-kind.js";
import { historyKind } from "./history-types.js";
import {
  type Answer,
  type Body,
  type Context,
  capital,
  groupWord,
  kindOf,
  type Method,
  type Operation,
  ok,
  type PathItem,
  streamTypes,
  unauthorized,
} from "./operations.js";
import {
  atParameter,
  diffParameter,
  explainParameter,
  fieldsParameter,
  nameParameter,
  namespaceParameter,
  optionParameters,
  type Parameter,
  pageParameters,
  pathParameter,
  prettyParameter,
  revisionParameter,
  scopeParameter,
  sortParameter,
} from "./parameters.js";
import type { GroupVersionKind } from "./schemas.js";

/** All paths of a kind (rules: Path shapes): collection, item, across namespaces, subresources, the old watch paths. */
export function resourcePaths(context: Context, kind: Kind): readonly PathItem[] {
  const at = placeOf(context, kind);
  const item = `${at.own}/{name}`;
  const paths: PathItem[] = [
    { path: at.own, operations: present([list(at), create(at), removeAll(at)]) },
    { path: item, operations: present([read(at), replace(at), patch(at), remove(at)]) },
    ...kind.subresources.filter((s) => context.offers.subresources.has(s.name)).flatMap((s) => subPaths(at, s, item)),
  ];
  paths.push(...historyPaths(at, item));
  if (kind.namespaced) paths.push({ path: at.across, operations: present([list({ ...at, scope: "all" })]) });
  return [...paths, ...watchPaths(at)].filter(({ operations }) => operations.length > 0);
}

interface Place {
  readonly context: Context;
  readonly kind: Kind;
  readonly scope: "cluster" | "namespace" | "all";
  /** `/apis/apps/v1`. */
  readonly root: string;
  /** The collection in one namespace. */
  readonly own: string;
  /** In all namespaces together. */
  readonly across: string;
}

function placeOf(context: Context, kind: Kind): Place {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.apiVersion}`;
  const across = `${root}/${kind.plural}`;
  const own = kind.namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : across;
  return { context, kind, scope: kind.namespaced ? "namespace" : "cluster", root, own, across };
}

function present(operations: readonly (Operation | undefined)[]): readonly Operation[] {
  return operations.filter((o) => o !== undefined);
}

function offers({ kind }: Place, verb: string): boolean {
  return kind.verbs.some((v) => v === verb);
}

interface Spec {
  readonly method: Method;
  readonly action: string;
  /** `replace`: before the group in the id. */
  readonly word: string;
  /** Behind the group in the id: `NamespacedPodStatus`. */
  readonly rest: string;
  readonly description: string;
  readonly kind?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly answers: readonly Answer[];
}

function operation(at: Place, spec: Spec): Operation {
  const { context, kind, scope } = at;
  const group = groupWord(context.naming, kind.group);
  return {
    method: spec.method,
    id: `${spec.word}${capital(group)}${capital(kind.version)}${spec.rest}`,
    tag: `${group}_${kind.version}`,
    description: spec.description,
    action: spec.action,
    kind: spec.kind ?? kindOf(kind),
    parameters: [...spec.parameters, ...(scope === "namespace" ? [namespaceParameter] : [])],
    body: spec.body,
    consumes: spec.consumes ?? (kind.definition === undefined ? ["*/*"] : mediaTypes(at)),
    produces: spec.produces ?? mediaTypes(at),
    answers: spec.answers,
  };
}

/** Custom resources have no Protobuf form. */
function mediaTypes({ context: { offers: offered }, kind }: Place): readonly string[] {
  return kind.definition === undefined ? offered.mediaTypes : offered.mediaTypes.filter((type) => !isProtobuf(type));
}

function isProtobuf(type: string): boolean {
  return type.endsWith("protobuf");
}

/** `NamespacedPod`, `PodForAllNamespaces`, `Node`. */
function subject({ kind, scope }: Place, more = ""): string {
  return `${scope === "namespace" ? "Namespaced" : ""}${kind.kind}${more}${scope === "all" ? "ForAllNamespaces" : ""}`;
}

function options({ context }: Place, name: string, without: readonly string[] = []): readonly Parameter[] {
  return [...optionParameters(context.typeNamed(`meta/v1.${name}`), context.docs, without), prettyParameter];
}

/** The reference has no such parameter: documents in its dialect are as its own. */
function explaining({ context, kind }: Place): readonly Parameter[] {
  return context.naming.dialect === "orch" && isStored(kind) ? [explainParameter] : [];
}

function list(at: Place): Operation | undefined {
  if (!offers(at, "list")) return undefined;
  return operation(at, {
    method: "get",
    action: "list",
    word: "list",
    rest: subject(at),
    description: `list or watch objects of kind ${at.kind.kind}`,
    parameters: [...options(at, "ListOptions"), ...furtherOfList(at), ...(hasPast(at) ? [atParameter] : [])],
    produces: listTypes(at),
    answers: ok(at.kind.listType),
  });
}

function furtherOfList({ context, scope }: Place): readonly Parameter[] {
  if (context.offers.listExtensions !== true) return [];
  return [fieldsParameter, sortParameter, ...(scope === "all" ? [scopeParameter] : [])];
}

function furtherOfObject({ context }: Place): readonly Parameter[] {
  return context.offers.listExtensions === true ? [fieldsParameter] : [];
}

function listTypes(at: Place): readonly string[] {
  const types = mediaTypes(at);
  return [...types, ...streamTypes(types)];
}

function create(at: Place): Operation | undefined {
  if (!offers(at, "create")) return undefined;
  const { type, kind } = at.kind;
  return operation(at, {
    method: "post",
    action: "post",
    word: "create",
    rest: subject(at),
    description: `create an object of kind ${kind}`,
    parameters: [...options(at, "CreateOptions"), ...explaining(at)],
    body: { type, required: true },
    answers: ok(type, "Created", "Accepted"),
  });
}

function removeAll(at: Place): Operation | undefined {
  if (!offers(at, "deletecollection")) return undefined;
  const selection = options(at, "ListOptions", ["watch", "allowWatchBookmarks"]);
  return operation(at, {
    method: "delete",
    action: "deletecollection",
    word: "delete",
    rest: `Collection${subject(at)}`,
    description: `delete all objects of kind ${at.kind.kind} that are selected`,
    parameters: [...options(at, "DeleteOptions").filter((p) => p !== prettyParameter), ...selection],
    body: { type: at.context.typeNamed("meta/v1.DeleteOptions"), required: false },
    answers: ok(at.context.typeNamed("meta/v1.Status")),
  });
}

function remove(at: Place): Operation | undefined {
  if (!offers(at, "delete")) return undefined;
  return operation(at, {
    method: "delete",
    action: "delete",
    word: "delete",
    rest: subject(at),
    description: `delete one object of kind ${at.kind.kind}`,
    parameters: [...options(at, "DeleteOptions"), nameParameter(at.kind.kind)],
    body: { type: at.context.typeNamed("meta/v1.DeleteOptions"), required: false },
    answers: ok(answersDeletedObject(at.kind) ? at.kind.type : at.context.typeNamed("meta/v1.Status"), "Accepted"),
  });
}

/** What an item and its subresources have in common: whose id, whose body. */
interface Target {
  readonly word: string;
  readonly kind: GroupVersionKind;
  readonly type: Type;
  readonly description: string;
}

function itself({ kind }: Place): Target {
  return { word: "", kind: kindOf(kind), type: kind.type, description: kind.kind };
}

function read(at: Place): Operation | undefined {
  return offers(at, "get")
    ? readOf(at, itself(at), [...(hasPast(at) ? [atParameter] : []), ...furtherOfObject(at)])
    : undefined;
}

function readOf(at: Place, to: Target, more: readonly Parameter[] = []): Operation {
  return operation(at, {
    method: "get",
    action: "get",
    word: "read",
    rest: subject(at, to.word),
    description: `read ${to.description}`,
    kind: to.kind,
    parameters: [...more, prettyParameter, nameParameter(to.kind.kind)],
    answers: ok(to.type),
  });
}

function replace(at: Place): Operation | undefined {
  return offers(at, "update") ? replaceOf(at, itself(at)) : undefined;
}

function replaceOf(at: Place, to: Target): Operation {
  return operation(at, {
    method: "put",
    action: "put",
    word: "replace",
    rest: subject(at, to.word),
    description: `replace ${to.description}`,
    kind: to.kind,
    parameters: [...options(at, "UpdateOptions"), ...explaining(at), nameParameter(to.kind.kind)],
    body: { type: to.type, required: true },
    answers: ok(to.type, "Created"),
  });
}

function patch(at: Place): Operation | undefined {
  return offers(at, "patch") ? patchOf(at, itself(at)) : undefined;
}

function patchOf(at: Place, to: Target): Operation {
  return operation(at, {
    method: "patch",
    action: "patch",
    word: "patch",
    rest: subject(at, to.word),
    description: `change parts of ${to.description}`,
    kind: to.kind,
    parameters: [...options(at, "PatchOptions"), ...explaining(at), nameParameter(to.kind.kind)],
    body: { type: at.context.typeNamed("meta/v1.Patch"), required: true },
    consumes: patchTypes(at),
    answers: ok(to.type, "Created"),
  });
}

function patchTypes({ context, kind }: Place): readonly string[] {
  const binary = context.offers.mediaTypes.includes("application/cbor") ? ["application/apply-patch+cbor"] : [];
  return [
    "application/json-patch+json",
    "application/merge-patch+json",
    // By merge keys, which custom resources have not.
    ...(kind.definition === undefined ? ["application/strategic-merge-patch+json"] : []),
    "application/apply-patch+yaml",
    ...binary,
  ];
}

function createOf(at: Place, to: Target): Operation {
  return operation(at, {
    method: "post",
    action: "post",
    word: "create",
    rest: subject(at, to.word),
    description: `create ${to.description}`,
    kind: to.kind,
    parameters: [...options(at, "CreateOptions"), nameParameter(to.kind.kind)],
    body: { type: to.type, required: true },
    answers: ok(to.type, "Created", "Accepted"),
  });
}

/** Whether objects of the kind can be read as they were. */
function hasPast({ context, kind }: Place): boolean {
  return context.history !== undefined && context.offers.hasHistory?.(kind) === true;
}

/** What is asked of objects' past, and what restores them. */
function historyPaths(at: Place, item: string): readonly PathItem[] {
  const { history } = at.context;
  if (history === undefined || !hasPast(at)) return [];
  const about = (word: string, type: MessageType, description: string): Target => {
    return { word, type, kind: historyKind(type), description: `${description} of one ${at.kind.kind}` };
  };
  const restored = (word: string, body: MessageType, description: string): Operation => {
    const { type } = at.kind;
    const to = about(word, body, description);
    return { ...createOf(at, to), body: { type: body, required: false }, answers: ok(type, "Created") };
  };
  const state: Target = {
    ...itself(at),
    word: "HistoryRevision",
    description: `an earlier state of one ${at.kind.kind}`,
  };
  const compared = (to: Target, ...more: readonly Parameter[]): Operation => {
    const one = readOf(at, to, [diffParameter, ...more]);
    const answers = one.answers.map((each) => (each.code === 200 ? { ...each, other: history.difference } : each));
    return { ...one, answers };
  };
  // What is no object is JSON or YAML.
  const plain = (one: Operation): Operation => ({ ...one, produces: documentTypes });
  const states = plain(compared(about("History", history.history, "states")));
  const deletions = plain(readOf(at, about("Deleted", history.deleted, "deletions"), pageParameters));
  const all: readonly (readonly [path: string, ...operations: readonly Operation[]])[] = [
    ["deleted", deletions],
    ["history", states, migrateRecords(at, history.migration)],
    ["history/{revision}", compared(state, revisionParameter)],
    ["rollback", restored("Rollback", history.rollback, "an earlier state")],
    ["undelete", restored("Undelete", history.undelete, "the last state")],
  ];
  return all.map(([path, ...operations]) => ({ path: `${item}/${path}`, operations }));
}

const documentTypes: readonly string[] = ["application/json", "application/yaml"];

function migrateRecords(at: Place, type: MessageType): Operation {
  return operation(at, {
    method: "patch",
    action: "patch",
    word: "patch",
    rest: subject(at, "History"),
    description: `store records of the past of every ${at.kind.kind} anew, a step of them; the name is "-", the body is empty`,
    kind: historyKind(type),
    parameters: [...pageParameters, prettyParameter, nameParameter(at.kind.kind)],
    body: { type: at.context.typeNamed("meta/v1.Patch"), required: true },
    consumes: ["application/merge-patch+json"],
    produces: documentTypes,
    answers: ok(type),
  });
}

function subPaths(at: Place, sub: Subresource, item: string): readonly PathItem[] {
  const path = `${item}/${sub.name}`;
  if (sub.upgrade || sub.path) return connections(at, sub, path);
  if (sub.text) return [{ path, operations: [readText(at, sub)] }];
  const to = targetOf(at, sub);
  const made = {
    create: () => createOf(at, to),
    get: () => readOf(at, to, furtherOfObject(at)),
    update: () => replaceOf(at, to),
    patch: () => patchOf(at, to),
  } as const;
  const verbs = (["create", "get", "update", "patch"] as const).filter((verb) => sub.verbs.includes(verb));
  return [{ path, operations: verbs.map((verb) => made[verb]()) }];
}

function targetOf({ context, kind }: Place, sub: Subresource): Target {
  const description = `${sub.name} of one ${kind.kind}`;
  const word = capital(sub.name);
  if (sub.kind === kind.kind && sub.apiVersion === undefined)
    return { word, kind: kindOf(kind), type: kind.type, description };
  const { group, version } = subresourceKind(kind, sub);
  const served = context.catalog.kind(sub.apiVersion ?? kind.apiVersion, sub.kind);
  const type = served?.type ?? context.typeNamed(`${homeOfKind(kind, sub)}.${sub.kind}`);
  return { word, kind: { group, kind: sub.kind, version }, type, description };
}

/** The data file of a subresource's type: of `autoscaling/v1` the group's first word and the version. */
function homeOfKind(kind: Kind, { apiVersion }: Subresource): string {
  if (apiVersion === undefined) return kind.type.name.slice(0, kind.type.name.lastIndexOf("."));
  return `${apiVersion.split(/[./]/)[0] ?? ""}/${apiVersion.slice(apiVersion.lastIndexOf("/") + 1)}`;
}

function readText(at: Place, sub: Subresource): Operation {
  const { context, kind } = at;
  const asked: readonly Parameter[] =
    sub.options === undefined ? [] : optionParameters(context.typeNamed(`core/v1.${sub.options}`), context.docs);
  return operation(at, {
    method: "get",
    action: "get",
    word: "read",
    rest: subject(at, capital(sub.name)),
    description: `read ${sub.name} of one ${kind.kind}`,
    parameters: [...asked, prettyParameter, nameParameter(kind.kind)],
    produces: ["text/plain", ...context.offers.mediaTypes],
    answers: ok(plainText),
  });
}

const plainText: Type = { kind: "string" };

/** Upgrades and proxies: any body, any answer, each method that the verbs stand for. */
function connections(at: Place, sub: Subresource, path: string): readonly PathItem[] {
  const asked = sub.verbs.flatMap((verb) => connectMethods[verb] ?? []);
  const all: readonly Method[] = sub.path && asked.length > 0 ? [...asked, "head", "options"] : asked;
  const type = at.context.typeNamed(`${homeOfKind(at.kind, sub)}.${sub.kind}`);
  const operations = (deeper: boolean) => all.map((method) => connect(at, { sub, method, type, deeper }));
  if (!sub.path) return [{ path, operations: operations(false) }];
  return [
    { path, operations: operations(false) },
    { path: `${path}/{path}`, operations: operations(true) },
  ];
}

const connectMethods: Readonly<Record<string, readonly Method[]>> = {
  create: ["post"],
  delete: ["delete"],
  get: ["get"],
  patch: ["patch"],
  update: ["put"],
};

interface Connection {
  readonly sub: Subresource;
  readonly method: Method;
  readonly type: MessageType;
  /** With a path behind the subresource. */
  readonly deeper: boolean;
}

function connect(at: Place, { sub, method, type, deeper }: Connection): Operation {
  const { group, version } = subresourceKind(at.kind, sub);
  return operation(at, {
    method,
    action: "connect",
    word: "connect",
    rest: capital(method) + subject(at, capital(sub.name)) + (deeper ? "WithPath" : ""),
    description: `hand ${method.toUpperCase()} requests on to ${sub.name} of one ${at.kind.kind}`,
    kind: { group, kind: sub.kind, version },
    parameters: [
      ...optionParameters(type, at.context.docs),
      nameParameter(sub.kind),
      ...(deeper ? [pathParameter] : []),
    ],
    produces: ["*/*"],
    answers: [{ code: 200, description: "OK", type: plainText }, unauthorized],
  });
}

/** The deprecated paths that only watch. */
function watchPaths(at: Place): readonly PathItem[] {
  if (!offers(at, "watch")) return [];
  const below = (path: string): string => `${at.root}/watch${path.slice(at.root.length)}`;
  const lists: PathItem[] = [{ path: below(at.own), operations: [watch(at, "List")] }];
  if (at.kind.namespaced) lists.push({ path: below(at.across), operations: [watch({ ...at, scope: "all" }, "List")] });
  return [...lists, { path: below(`${at.own}/{name}`), operations: [watch(at, "")] }];
}

function watch(at: Place, more: "List" | ""): Operation {
  const { kind } = at.kind;
  return operation(at, {
    method: "get",
    action: more === "" ? "watch" : "watchlist",
    word: "watch",
    rest: subject(at, more),
    description: `watch ${more === "" ? "one object" : "objects"} of kind ${kind}; deprecated: list with the parameter watch`,
    parameters: [...options(at, "ListOptions"), ...(more === "" ? [nameParameter(kind)] : [])],
    produces: listTypes(at),
    answers: ok(at.context.typeNamed("meta/v1.WatchEvent")),
  });
}
