import { ApiError } from "@orch/status/api-error.js";
import { admission as admissionProto } from "../../generated/admission.js";
import type { CallFailure, CallPurpose, CallReply, CallRequest } from "../messages.js";
import { asBuffer } from "../wire.js";
import { generatedCodec } from "./codec.js";

const { v1: admission } = admissionProto;

const purposes: Readonly<Record<CallPurpose, admissionProto.v1.Purpose>> = {
  conversion: admission.Purpose.CONVERSION,
  mutating: admission.Purpose.MUTATING,
  validating: admission.Purpose.VALIDATING,
  image: admission.Purpose.IMAGE,
};
const purposeNames: readonly CallPurpose[] = ["conversion", "mutating", "validating", "image"];

const failures: Readonly<Record<CallFailure, admissionProto.v1.Failure>> = {
  connection: admission.Failure.CONNECTION,
  timeout: admission.Failure.TIMEOUT,
  status: admission.Failure.STATUS,
  answer: admission.Failure.ANSWER,
};
const failureNames: readonly CallFailure[] = ["connection", "timeout", "status", "answer"];

const none = Buffer.alloc(0);
const bufferOf = (bytes: Uint8Array | null | undefined): Buffer => (bytes ? asBuffer(bytes) : none);

export const callRequestCodec = generatedCodec<CallRequest, admissionProto.v1.CallRequest.$Properties>(
  admission.CallRequest,
  {
    to: (value) => ({ ...value, purpose: purposes[value.purpose] }),
    from: (m) => {
      const purpose = purposeNames.find((name) => purposes[name] === m.purpose);
      if (purpose === undefined) throw new ApiError("BadRequest", `unknown purpose ${m.purpose ?? 0} of a call`);
      return { purpose, client: m.client ?? "", body: bufferOf(m.body), timeoutMs: m.timeoutMs ?? 0 };
    },
  },
);

export const callReplyCodec = generatedCodec<CallReply, admissionProto.v1.CallReply.$Properties>(admission.CallReply, {
  to: (value) =>
    value.type === "answered"
      ? { body: value.body }
      : { failure: failures[value.failure], message: value.message, status: value.status },
  from: (m) => {
    const failure = failureNames.find((name) => failures[name] === m.failure);
    if (failure === undefined) return { type: "answered", body: bufferOf(m.body) };
    return { type: "failed", failure, message: m.message ?? "", status: m.status ?? 0 };
  },
});
