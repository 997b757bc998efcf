import { bodyCodec } from "./codec.js";
import { getRequestCodec } from "./get-request.js";
import { chunkCodec } from "./link/chunk.js";
import {
  listRequestCodec,
  statusReplyCodec,
  statusRequestCodec,
  watchRequestCodec,
  writeReplyCodec,
  writeRequestCodec,
} from "./message-codecs.js";
import type {
  Chunk,
  GetRequest,
  ListRequest,
  ObjectReply,
  StatusReply,
  StatusRequest,
  WatchRequest,
  WriteReply,
  WriteRequest,
} from "./messages.js";
import type { StreamMethod, UnaryMethod } from "./rpc.js";

export type {
  Chunk,
  GetRequest,
  ListRequest,
  ObjectReply,
  StatusReply,
  StatusRequest,
  WatchRequest,
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

export const resourceStatus: UnaryMethod<StatusRequest, StatusReply> = {
  kind: "unary",
  name: "resource/Status",
  idempotent: true,
  request: statusRequestCodec,
  response: statusReplyCodec,
};
