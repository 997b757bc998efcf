import type { StreamMethod, UnaryMethod } from "../rpc.js";
import {
  getRequestCodec,
  type Nothing,
  originReplyCodec,
  originRequestCodec,
  rangeRequestCodec,
  revisionReplyCodec,
  revisionRequestCodec,
  watchRequestCodec,
} from "./codecs.js";
import { itemCodec } from "./item-codec.js";
import type { FeedItem, FeedOrigin, FeedRange, FeedRangeRequest, FeedWatchRequest } from "./messages.js";
import { rangeReplyCodec } from "./range-codec.js";

/** What `proto/feed.proto` defines: all of it only reads. */
export const feedOrigin: UnaryMethod<Nothing, FeedOrigin> = {
  kind: "unary",
  name: "feed/Origin",
  idempotent: true,
  request: originRequestCodec,
  response: originReplyCodec,
};

export const feedRevision: UnaryMethod<Nothing, { readonly revision: number }> = {
  kind: "unary",
  name: "feed/Revision",
  idempotent: true,
  request: revisionRequestCodec,
  response: revisionReplyCodec,
};

/** One entry, or none. */
export const feedGet: UnaryMethod<{ readonly key: string }, FeedRange> = {
  kind: "unary",
  name: "feed/Get",
  idempotent: true,
  request: getRequestCodec,
  response: rangeReplyCodec,
};

export const feedRange: UnaryMethod<FeedRangeRequest, FeedRange> = {
  kind: "unary",
  name: "feed/Range",
  idempotent: true,
  request: rangeRequestCodec,
  response: rangeReplyCodec,
};

export const feedWatch: StreamMethod<FeedWatchRequest, FeedItem> = {
  kind: "stream",
  name: "feed/Watch",
  request: watchRequestCodec,
  response: itemCodec,
};
