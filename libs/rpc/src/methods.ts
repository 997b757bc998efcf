import { appendReplyCodec, appendRequestCodec } from "./codecs/audit-codecs.js";
import { callReplyCodec, callRequestCodec } from "./codecs/call-codecs.js";
import { bodyCodec } from "./codecs/codec.js";
import {
  healthReplyCodec,
  keySetCodec,
  pluginReplyCodec,
  unwrapRequestCodec,
  wrapRequestCodec,
} from "./codecs/kms-codecs.js";
import {
  listRequestCodec,
  statusReplyCodec,
  statusRequestCodec,
  watchRequestCodec,
  writeReplyCodec,
  writeRequestCodec,
} from "./codecs/message-codecs.js";
import {
  beginReplyCodec,
  beginRequestCodec,
  endReplyCodec,
  endRequestCodec,
  outcomeRequestCodec,
  stageReplyCodec,
  stageRequestCodec,
} from "./codecs/transaction-codecs.js";
import { getRequestCodec } from "./get-request.js";
import type { HealthReply, KmsKeySet, PluginReply, UnwrapRequest, WrapRequest } from "./kms-messages.js";
import { chunkCodec } from "./link/chunk.js";
import type {
  AppendReply,
  AppendRequest,
  BeginReply,
  BeginRequest,
  CallReply,
  CallRequest,
  Chunk,
  EndReply,
  EndRequest,
  GetRequest,
  ListRequest,
  ObjectReply,
  OutcomeRequest,
  StageReply,
  StageRequest,
  StatusReply,
  StatusRequest,
  WatchRequest,
  WriteReply,
  WriteRequest,
} from "./messages.js";
import type { StreamMethod, UnaryMethod } from "./rpc.js";

export type {
  AppendReply,
  AppendRequest,
  BeginReply,
  BeginRequest,
  CallFailure,
  CallPurpose,
  CallReply,
  CallRequest,
  Chunk,
  EndReply,
  EndRequest,
  GetRequest,
  ListRequest,
  ObjectReply,
  OutcomeRequest,
  StageReply,
  StageRequest,
  StatusReply,
  StatusRequest,
  WatchRequest,
  WriteAudit,
  WriteReply,
  WriteRequest,
  WriteUser,
  WriteVerb,
} from "./messages.js";

/** What the services answer, as `proto/watch_cache.proto` and `proto/resource.proto` define it. */
export const watchCacheGet: UnaryMethod<GetRequest, ObjectReply> = {
  kind: "unary",
  name: "watch-cache/Get",
  idempotent: true,
  request: getRequestCodec,
  response: bodyCodec,
};

export const watchCacheList: StreamMethod<ListRequest, Chunk> = {
  kind: "stream",
  name: "watch-cache/List",
  request: listRequestCodec,
  response: chunkCodec,
};

export const watchCacheWatch: StreamMethod<WatchRequest, Chunk> = {
  kind: "stream",
  name: "watch-cache/Watch",
  request: watchRequestCodec,
  response: chunkCodec,
};

export const watchCacheStatus: UnaryMethod<StatusRequest, StatusReply> = {
  kind: "unary",
  name: "watch-cache/Status",
  idempotent: true,
  request: statusRequestCodec,
  response: statusReplyCodec,
};

/** Not idempotent: a create that is sent twice conflicts with itself. */
export const resourceWrite: UnaryMethod<WriteRequest, WriteReply> = {
  kind: "unary",
  name: "resource/Write",
  idempotent: false,
  request: writeRequestCodec,
  response: writeReplyCodec,
};

/** Nothing is stored, so that a question may be asked twice. */
export const resourceAdmit: UnaryMethod<WriteRequest, WriteReply> = {
  kind: "unary",
  name: "resource/Admit",
  idempotent: true,
  request: writeRequestCodec,
  response: writeReplyCodec,
};

/** What objects were; nothing is changed. */
export const resourceHistory: UnaryMethod<WriteRequest, WriteReply> = {
  kind: "unary",
  name: "resource/History",
  idempotent: true,
  request: writeRequestCodec,
  response: writeReplyCodec,
};

export const resourceStatus: UnaryMethod<StatusRequest, StatusReply> = {
  kind: "unary",
  name: "resource/Status",
  idempotent: true,
  request: statusRequestCodec,
  response: statusReplyCodec,
};

/** A transaction that nobody asks for is given up after its time. */
export const resourceBegin: UnaryMethod<BeginRequest, BeginReply> = {
  kind: "unary",
  name: "resource/Begin",
  idempotent: true,
  request: beginRequestCodec,
  response: beginReplyCodec,
};

export const resourceStage: UnaryMethod<StageRequest, StageReply> = {
  kind: "unary",
  name: "resource/Stage",
  idempotent: false,
  request: stageRequestCodec,
  response: stageReplyCodec,
};

export const resourceEnd: UnaryMethod<EndRequest, EndReply> = {
  kind: "unary",
  name: "resource/End",
  idempotent: false,
  request: endRequestCodec,
  response: endReplyCodec,
};

export const resourceOutcome: UnaryMethod<OutcomeRequest, WriteReply> = {
  kind: "unary",
  name: "resource/Outcome",
  idempotent: false,
  request: outcomeRequestCodec,
  response: writeReplyCodec,
};

/** Webhooks must take a question twice: it may be sent again when a connection broke. */
export const admissionCall: UnaryMethod<CallRequest, CallReply> = {
  kind: "unary",
  name: "admission/Call",
  idempotent: true,
  request: callRequestCodec,
  response: callReplyCodec,
};

export const admissionStatus: UnaryMethod<StatusRequest, StatusReply> = {
  kind: "unary",
  name: "admission/Status",
  idempotent: true,
  request: statusRequestCodec,
  response: statusReplyCodec,
};

/** The keys with which values are sealed, now and with every change. */
export const kmsKeySets: StreamMethod<StatusRequest, KmsKeySet> = {
  kind: "stream",
  name: "kms/KeySets",
  request: statusRequestCodec,
  response: keySetCodec,
};

export const kmsUnwrap: UnaryMethod<UnwrapRequest, PluginReply> = {
  kind: "unary",
  name: "kms/Unwrap",
  idempotent: true,
  request: unwrapRequestCodec,
  response: pluginReplyCodec,
};

/** What is wrapped twice is another time as good. */
export const kmsWrap: UnaryMethod<WrapRequest, PluginReply> = {
  kind: "unary",
  name: "kms/Wrap",
  idempotent: true,
  request: wrapRequestCodec,
  response: pluginReplyCodec,
};

export const kmsHealth: UnaryMethod<StatusRequest, HealthReply> = {
  kind: "unary",
  name: "kms/Health",
  idempotent: true,
  request: statusRequestCodec,
  response: healthReplyCodec,
};

/** Events may come twice, and none may be lost. */
export const auditAppend: UnaryMethod<AppendRequest, AppendReply> = {
  kind: "unary",
  name: "audit/Append",
  idempotent: true,
  request: appendRequestCodec,
  response: appendReplyCodec,
};

export const auditStatus: UnaryMethod<StatusRequest, StatusReply> = {
  kind: "unary",
  name: "audit/Status",
  idempotent: true,
  request: statusRequestCodec,
  response: statusReplyCodec,
};
