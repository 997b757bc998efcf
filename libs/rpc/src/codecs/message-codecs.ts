import { ApiError } from "@orch/status/api-error.js";
import type { Collection } from "@orch/status/target.js";
import { resource as resourceProto } from "../../generated/resource.js";
import { watchcache } from "../../generated/watch_cache.js";
import type {
  ListRequest,
  Permitted,
  StatusReply,
  StatusRequest,
  WatchRequest,
  WriteAudit,
  WriteReply,
  WriteRequest,
  WriteUser,
  WriteVerb,
} from "../messages.js";
import { asBuffer } from "../wire.js";
import { generatedCodec } from "./codec.js";

/** The messages that are not on the hot path: generated code, made plain. */
const { v1: cache } = watchcache;
const { v1: resource } = resourceProto;

const same = <T>(value: T): T => value;

// With the package `long` anywhere in the tree the generated code decodes 64-bit fields to its objects, whatever
// --force-number wrote into the types; their text is exact.
const int64 = (value: number | null | undefined): number => Number(value ?? 0);

export const statusRequestCodec = generatedCodec<StatusRequest, Record<string, unknown>>(
  { encode: (message) => cache.StatusRequest.encode(message), decode: () => ({}) },
  { to: same, from: () => ({}) },
);

export const statusReplyCodec = generatedCodec<StatusReply, watchcache.v1.StatusReply.$Properties>(cache.StatusReply, {
  to: ({ unfinished, ...rest }) => ({ ...rest, unfinished: [...unfinished] }),
  from: (m) => ({
    ready: m.ready ?? false,
    revision: int64(m.revision),
    message: m.message ?? "",
    unfinished: m.unfinished ?? [],
  }),
});

/** The fields of a collection, which every request about objects has. */
function collectionFrom(m: { readonly [Field in keyof Collection]?: string | null }): Collection {
  const { group, version, resource, namespace } = m;
  return { group: group ?? "", version: version ?? "", resource: resource ?? "", namespace: namespace ?? "" };
}

/**
 * Absent fields are not sent. The resource goes into the message that says what of it may be seen: a peer of before, which does
 * not know it, answers that there is no such resource.
 */
function permittedTo(
  permitted: Permitted | undefined,
  resource: string,
): Pick<watchcache.v1.ListRequest.$Properties, "resource" | "permitted"> {
  if (permitted === undefined) return { resource };
  const { namespaces, gained = [], rights = [] } = permitted;
  return {
    resource: "",
    permitted: { namespaces: [...namespaces], gained: [...gained], rights: [...rights], resource },
  };
}

function permittedFrom({
  permitted,
}: Pick<watchcache.v1.ListRequest.$Properties, "permitted">): Partial<Pick<ListRequest, "permitted" | "resource">> {
  if (permitted === null || permitted === undefined) return { permitted: undefined };
  const { resource } = permitted;
  const [namespaces, gained, rights] = [permitted.namespaces ?? [], permitted.gained ?? [], permitted.rights ?? []];
  return {
    resource: resource ?? "",
    permitted: {
      namespaces,
      ...(gained.length > 0 ? { gained } : {}),
      ...(rights.length > 0 ? { rights: rights.map(int64) } : {}),
    },
  };
}

export const listRequestCodec = generatedCodec<ListRequest, watchcache.v1.ListRequest.$Properties>(cache.ListRequest, {
  to: ({ sendInitialEvents, permitted, sort, kept, resource, ...rest }) => ({
    ...rest,
    sendInitialEvents: sendInitialEvents ?? null,
    kept: kept ?? null,
    ...permittedTo(permitted, resource),
    ...(sort === undefined ? {} : { sort }),
  }),
  from: (m) => ({
    ...collectionFrom(m),
    labelSelector: m.labelSelector ?? "",
    fieldSelector: m.fieldSelector ?? "",
    resourceVersion: m.resourceVersion ?? "",
    resourceVersionMatch: m.resourceVersionMatch ?? "",
    limit: int64(m.limit),
    continueToken: m.continueToken ?? "",
    sendInitialEvents: m.sendInitialEvents ?? undefined,
    form: m.form ?? "",
    gzip: m.gzip ?? false,
    ...permittedFrom(m),
    sort: m.sort === null || m.sort === "" ? undefined : m.sort,
    kept: m.kept ?? undefined,
  }),
});

export const watchRequestCodec = generatedCodec<WatchRequest, watchcache.v1.WatchRequest.$Properties>(
  cache.WatchRequest,
  {
    to: ({ sendInitialEvents, permitted, resource, ...rest }) => ({
      ...rest,
      sendInitialEvents: sendInitialEvents ?? null,
      ...permittedTo(permitted, resource),
    }),
    from: (m) => ({
      ...collectionFrom(m),
      name: m.name ?? "",
      labelSelector: m.labelSelector ?? "",
      fieldSelector: m.fieldSelector ?? "",
      resourceVersion: m.resourceVersion ?? "",
      resourceVersionMatch: m.resourceVersionMatch ?? "",
      sendInitialEvents: m.sendInitialEvents ?? undefined,
      allowBookmarks: m.allowBookmarks ?? false,
      timeoutMs: m.timeoutMs ?? 0,
      form: m.form ?? "",
      ...permittedFrom(m),
    }),
  },
);

const verbs: Readonly<Record<WriteVerb, resourceProto.v1.Verb>> = {
  create: resource.Verb.CREATE,
  update: resource.Verb.UPDATE,
  delete: resource.Verb.DELETE,
  deletecollection: resource.Verb.DELETECOLLECTION,
  patch: resource.Verb.PATCH,
};
const verbNames: readonly WriteVerb[] = ["create", "update", "delete", "deletecollection", "patch"];

function verbOf(number: number | null | undefined): WriteVerb {
  const verb = verbNames.find((name) => verbs[name] === number);
  if (verb === undefined) throw new ApiError("BadRequest", `unknown verb ${number ?? 0} of a write`);
  return verb;
}

const audits: Readonly<Record<WriteAudit, resourceProto.v1.Audit>> = {
  annotations: resource.Audit.ANNOTATIONS,
  patches: resource.Audit.PATCHES,
};
const auditNames: readonly WriteAudit[] = ["annotations", "patches"];

const none = Buffer.alloc(0);
const bufferOf = (bytes: Uint8Array | null | undefined): Buffer => (bytes ? asBuffer(bytes) : none);

// Object.entries and fromEntries keep a key like __proto__ an ordinary one.
const userToWire = (user: WriteUser): resourceProto.v1.User.$Properties => ({
  name: user.name,
  uid: user.uid,
  groups: [...user.groups],
  extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, { values: [...values] }])),
});

const userFromWire = (m: resourceProto.v1.User.$Properties | null | undefined): WriteUser => ({
  name: m?.name ?? "",
  uid: m?.uid ?? "",
  groups: m?.groups ?? [],
  extra: Object.fromEntries(Object.entries(m?.extra ?? {}).map(([key, list]) => [key, list.values ?? []])),
});

interface Conversion<T, Shape> {
  readonly to: (value: T) => Shape;
  readonly from: (message: Shape) => T;
}

export const writeRequest: Conversion<WriteRequest, resourceProto.v1.WriteRequest.$Properties> = {
  to: ({ audit, auditId, explain, ...value }) => ({
    ...value,
    ...(explain === undefined ? {} : { explain: { ...explain } }),
    ...(auditId === undefined ? {} : { auditId }),
    verb: verbs[value.verb],
    user: userToWire(value.user),
    ...(audit === undefined ? {} : { audit: audits[audit] }),
  }),
  from: (m) => ({
    verb: verbOf(m.verb),
    ...collectionFrom(m),
    subresource: m.subresource ?? "",
    name: m.name ?? "",
    body: bufferOf(m.body),
    contentType: m.contentType ?? "",
    options: m.options ?? {},
    user: userFromWire(m.user),
    form: m.form ?? "",
    userAgent: m.userAgent ?? "",
    ifMatch: m.ifMatch ?? "",
    ...(m.auditId ? { auditId: m.auditId } : {}),
    ...(m.audit ? { audit: auditNames.find((name) => audits[name] === m.audit) } : {}),
    ...(m.explain ? { explain: { reason: m.explain.reason ?? "", mayRead: m.explain.mayRead ?? false } } : {}),
  }),
};

export const writeRequestCodec = generatedCodec(resource.WriteRequest, writeRequest);

export const writeReply: Conversion<WriteReply, resourceProto.v1.WriteReply.$Properties> = {
  to: ({ annotations, ...value }) => ({
    ...value,
    warnings: [...value.warnings],
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  }),
  from: ({ code, body, warnings, waitedMs, annotations }) => ({
    code: code ?? 0,
    body: bufferOf(body),
    warnings: warnings ?? [],
    ...(waitedMs ? { waitedMs } : {}),
    ...(annotations && Object.keys(annotations).length > 0 ? { annotations } : {}),
  }),
};

export const writeReplyCodec = generatedCodec(resource.WriteReply, writeReply);
