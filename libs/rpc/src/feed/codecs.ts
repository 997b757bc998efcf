import { feed as feedProto } from "../../generated/feed.js";
import { generatedCodec } from "../codecs/codec.js";
import { asBuffer } from "../wire.js";
import type { FeedLeft, FeedOrigin, FeedProof, FeedRangeRequest, FeedWatchRequest } from "./messages.js";

const { v1: feed } = feedProto;

const none = Buffer.alloc(0);
// As in the other codecs: the generated code may decode 64 bits to objects of the package `long`.
const int64 = (value: number | null | undefined): number => Number(value ?? 0);
const bytesOf = (bytes: Uint8Array | null | undefined): Buffer => (bytes ? asBuffer(bytes) : none);
const empty = { to: () => ({}), from: () => ({}) } as const;

export type Nothing = Readonly<Record<string, never>>;

export const originRequestCodec = generatedCodec<Nothing, feedProto.v1.OriginRequest.$Properties>(
  feed.OriginRequest,
  empty,
);

export const originReplyCodec = generatedCodec<FeedOrigin, feedProto.v1.OriginReply.$Properties>(feed.OriginReply, {
  to: ({ storePrefix, elsewhere }) => ({ storePrefix, elsewhere: [...elsewhere] }),
  from: (m) => ({ storePrefix: m.storePrefix ?? "", elsewhere: m.elsewhere ?? [] }),
});

export const revisionRequestCodec = generatedCodec<Nothing, feedProto.v1.RevisionRequest.$Properties>(
  feed.RevisionRequest,
  empty,
);

export const revisionReplyCodec = generatedCodec<{ readonly revision: number }, feedProto.v1.RevisionReply.$Properties>(
  feed.RevisionReply,
  {
    to: (value) => value,
    from: (m) => ({ revision: int64(m.revision) }),
  },
);

export const getRequestCodec = generatedCodec<{ readonly key: string }, feedProto.v1.GetRequest.$Properties>(
  feed.GetRequest,
  { to: (value) => value, from: (m) => ({ key: m.key ?? "" }) },
);

export const rangeRequestCodec = generatedCodec<FeedRangeRequest, feedProto.v1.RangeRequest.$Properties>(
  feed.RangeRequest,
  {
    to: (value) => value,
    from: (m) => ({
      prefix: m.prefix ?? "",
      from: m.from ?? "",
      limit: int64(m.limit),
      at: int64(m.at),
      damaged: m.damaged ?? false,
      prove: m.prove ?? false,
    }),
  },
);

function proofFrom(m: feedProto.v1.Proof.$Properties): FeedProof {
  return { key: m.key ?? "", revision: int64(m.revision), digest: m.digest ?? "" };
}

function leftFrom(m: feedProto.v1.Left.$Properties): FeedLeft {
  return { key: m.key ?? "", revision: int64(m.revision), digest: bytesOf(m.digest) };
}

export const watchRequestCodec = generatedCodec<FeedWatchRequest, feedProto.v1.WatchRequest.$Properties>(
  feed.WatchRequest,
  {
    to: ({ known, last, shows, ...rest }) => ({
      ...rest,
      known: known ?? null,
      last: last ?? null,
      shows: [...shows],
    }),
    from: (m) => ({
      prefix: m.prefix ?? "",
      from: int64(m.from),
      known: m.known ? proofFrom(m.known) : undefined,
      last: m.last ? leftFrom(m.last) : undefined,
      shows: m.shows ?? [],
    }),
  },
);
