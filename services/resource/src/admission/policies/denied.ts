import { ApiError, forbidden } from "@orch/status/api-error.js";
import { isReason } from "@orch/status/reasons.js";
import { resourceOf } from "../../write/write.js";
import type { Question } from "../matching/question.js";

/** What a write is refused with. */
export interface Denial {
  readonly policy: string;
  /** Undefined where the policy itself is at fault. */
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** The codes that a validation's reason chooses from; all other reasons are answered as Invalid is. */
const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};

/** The refusal of a validating policy. */
export function deniedByValidation(question: Question, { policy, binding, message, reason }: Denial): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const why = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const refusal = forbidden(resourceOf(question.write.requested), nameIn(question), why, [{ message: why }]);
  return withReason(refusal, { message: refusal.message, reason, code: codes[reason] ?? 422 });
}

/** That of a mutating policy, which names no object. */
export function deniedByMutation(question: Question, { policy, binding, message, reason }: Denial): ApiError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const why = `policy ${by} denied request: ${message}`;
  const refusal = forbidden(resourceOf(question.write.requested), nameIn(question), why, [{ message: why }]);
  return withReason(refusal, { message: why, reason, code: 403 });
}

/** As refusals tell it. */
export function nameIn({ name }: Question): string {
  return name === "" ? "Unknown" : name;
}

interface Told {
  readonly message: string;
  readonly reason: string;
  readonly code: number;
}

function withReason({ details }: ApiError, { message, reason, code }: Told): ApiError {
  return new ApiError(isReason(reason) ? reason : "Invalid", message, {
    code,
    toldReason: reason,
    ...(details === undefined ? {} : { details }),
  });
}
