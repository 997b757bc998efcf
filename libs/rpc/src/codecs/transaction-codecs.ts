import { resource as resourceProto } from "../../generated/resource.js";
import type {
  BeginReply,
  BeginRequest,
  EndReply,
  EndRequest,
  OutcomeRequest,
  StageReply,
  StageRequest,
} from "../messages.js";
import { asBuffer } from "../wire.js";
import { generatedCodec } from "./codec.js";
import { writeReply, writeRequest } from "./message-codecs.js";

const resource = resourceProto.v1;

export const beginRequestCodec = generatedCodec<BeginRequest, resourceProto.v1.BeginRequest.$Properties>(
  resource.BeginRequest,
  { to: (value) => ({ ...value }), from: ({ timeoutMs }) => ({ timeoutMs: timeoutMs ?? 0 }) },
);

export const beginReplyCodec = generatedCodec<BeginReply, resourceProto.v1.BeginReply.$Properties>(
  resource.BeginReply,
  { to: (value) => ({ ...value }), from: ({ transaction }) => ({ transaction: transaction ?? "" }) },
);

export const stageRequestCodec = generatedCodec<StageRequest, resourceProto.v1.StageRequest.$Properties>(
  resource.StageRequest,
  {
    to: ({ write, status, ...value }) => ({
      ...value,
      write: writeRequest.to(write),
      ...(status === undefined ? {} : { status }),
    }),
    from: ({ transaction, member, write, status }) => ({
      transaction: transaction ?? "",
      member: member ?? 0,
      write: writeRequest.from(write ?? {}),
      ...(status && status.length > 0 ? { status: asBuffer(status) } : {}),
    }),
  },
);

export const stageReplyCodec = generatedCodec<StageReply, resourceProto.v1.StageReply.$Properties>(
  resource.StageReply,
  {
    to: (value) => (value.staged ? { staged: true, uid: value.uid } : { reply: writeReply.to(value.reply) }),
    from: ({ staged, uid, reply }) =>
      staged === true ? { staged, uid: uid ?? "" } : { staged: false, reply: writeReply.from(reply ?? {}) },
  },
);

export const endRequestCodec = generatedCodec<EndRequest, resourceProto.v1.EndRequest.$Properties>(
  resource.EndRequest,
  {
    to: (value) => ({ ...value }),
    from: ({ transaction, staged }) => ({ transaction: transaction ?? "", staged: staged ?? 0 }),
  },
);

export const endReplyCodec = generatedCodec<EndReply, resourceProto.v1.EndReply.$Properties>(resource.EndReply, {
  to: ({ done, refused }) => ({ done, refused: [...refused] }),
  from: ({ done, refused }) => ({ done: done ?? false, refused: refused ?? [] }),
});

export const outcomeRequestCodec = generatedCodec<OutcomeRequest, resourceProto.v1.OutcomeRequest.$Properties>(
  resource.OutcomeRequest,
  {
    to: (value) => ({ ...value }),
    from: ({ transaction, member }) => ({ transaction: transaction ?? "", member: member ?? 0 }),
  },
);
