import { audit as auditProto } from "../../generated/audit.js";
import type { AppendReply, AppendRequest } from "../messages.js";
import { asBuffer } from "../wire.js";
import { generatedCodec } from "./codec.js";

const { v1: audit } = auditProto;

export const appendRequestCodec = generatedCodec<AppendRequest, auditProto.v1.AppendRequest.$Properties>(
  audit.AppendRequest,
  {
    to: (value) => value,
    from: ({ lines, count = 0, strict = false }) => ({
      lines: asBuffer(lines ?? new Uint8Array()),
      count: count ?? 0,
      strict: strict ?? false,
    }),
  },
);

export const appendReplyCodec = generatedCodec<AppendReply, Record<string, unknown>>(
  { encode: (message) => audit.AppendReply.encode(message), decode: () => ({}) },
  { to: (value) => value, from: () => ({}) },
);
