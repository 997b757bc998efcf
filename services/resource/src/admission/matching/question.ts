import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { dryRunOf } from "@orch/render/write-options.js";
import type { WriteUser } from "@orch/rpc/messages.js";
import { complete } from "@orch/schema/complete.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { bodyKindOf, isConnection } from "../../write/surface.js";
import type { Write } from "../../write/write.js";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What those who decide about a write are asked: what is to be done, by whom, with which objects. */
export interface Question {
  readonly write: Write;
  readonly operation: Operation;
  /** Of the objects, in the version of the request: of `…/scale` the Scale, of `…/exec` the PodExecOptions. */
  readonly kind: Kind;
  /** Of the request, or of what it creates; "" for a deletion with its collection. */
  readonly name: string;
  /** The new state as clients read it; undefined for a deletion. */
  readonly object: JsonObject | undefined;
  /** The stored one; undefined for a creation. */
  readonly old: JsonObject | undefined;
  readonly dryRun: boolean;
}

interface States {
  /** As clients of the request's version read them. */
  readonly object: AnyObject | undefined;
  readonly old: AnyObject | undefined;
}

export function questionOf(write: Write, { object, old }: States): Question {
  const { request } = write;
  const kind = bodyKindOf(write);
  const shown = (state: AnyObject | undefined): JsonObject | undefined => state && asClientsRead(kind, state);
  return {
    write,
    operation: operationOf(write, { object, old }),
    kind,
    name: request.name === "" ? (object?.metadata.name ?? "") : request.name,
    object: shown(object),
    old: shown(old),
    dryRun: dryRunOf(request.options).length > 0,
  };
}

export function operationOf(write: Write, { object, old }: States): Operation {
  if (object === undefined) return "DELETE";
  return old === undefined ? newOperation(write) : "UPDATE";
}

/** What a write without a stored state is. */
export function newOperation(write: Write): Operation {
  return isConnection(write) ? "CONNECT" : "CREATE";
}

function asClientsRead(kind: Kind, object: AnyObject): JsonObject {
  const read: JsonObject = { ...complete(kind.type, object), kind: kind.kind, apiVersion: kind.apiVersion };
  if (kind.type.byName.has("metadata")) return read;
  const { metadata: _none, ...fields } = read;
  return fields;
}

/** The question with its objects in another version. */
export interface Shown {
  /** Of the objects. */
  readonly kind: Kind;
  /** As which the resource is asked about: whose objects these are, or whose subresource takes them. */
  readonly resource: Kind;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/** `request` as reviews and expressions have it; objects stand beside it. `shown` is the version that is asked about. */
export function requestTree(question: Question, shown: Pick<Shown, "kind" | "resource">, uid?: string): JsonObject {
  const { write, operation, name, dryRun } = question;
  const { requested, request } = write;
  const { subresource, namespace } = request;
  const resourceOf = ({ group, version, plural }: Kind): object => ({ group, version, resource: plural });
  const kindOf = (one: Kind): object => ({ group: one.group, version: one.version, kind: one.kind });
  return {
    ...(uid === undefined ? {} : { uid }),
    kind: kindOf(shown.kind),
    resource: resourceOf(shown.resource),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kindOf(question.kind),
    requestResource: resourceOf(requested),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: userInfo(request.user),
    dryRun,
    options: optionsTree(question),
  };
}

function userInfo({ name, uid, groups, extra }: WriteUser): object {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

const optionsKinds: Readonly<Record<Exclude<Operation, "CONNECT">, string>> = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
};

/** A patch is an update like others; a connection has none. */
function optionsTree({ write: { deps, request }, operation }: Question): JsonObject | null {
  if (operation === "CONNECT") return null;
  const { fieldManager = "", fieldValidation = "" } = request.options;
  const dryRun = dryRunOf(request.options);
  const { kind: _kind, apiVersion: _version, ...body } = operation === "DELETE" ? bodyOf(request.body) : {};
  return {
    kind: optionsKinds[operation],
    apiVersion: `${deps.naming.metaGroup}/v1`,
    ...body,
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(fieldManager === "" ? {} : { fieldManager }),
    ...(fieldValidation === "" ? {} : { fieldValidation }),
  };
}

function bodyOf(body: Buffer): JsonObject {
  try {
    const tree: unknown = body.length === 0 ? {} : readJson(body.toString("utf8"));
    return isObject(tree) ? tree : {};
  } catch {
    // In another encoding: what it says is acted on all the same.
    return {};
  }
}
