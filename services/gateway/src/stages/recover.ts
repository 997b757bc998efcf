import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Reached, subjectOf } from "../call.js";
import type { HttpRequest } from "../http/request.js";
import { plainJson, type Representation, representationOf } from "../representation.js";
import type { Responder } from "../respond.js";
import type { Handler, Journey } from "./stages.js";

export interface RecoverDeps {
  readonly negotiator: Negotiator<ObjectFormat>;
  readonly respond: Responder;
  /** Called with an unexpected error and the request that met it. */
  readonly onFault: (call: Reached, error: unknown) => void;
}

/** Answers a request with the error that a stage throws. */
export function recovered(deps: RecoverDeps, answer: Handler<Journey>): Handler<Journey> {
  return (journey) => {
    const failed = (thrown: unknown): void => answerError(deps, journey.reached, thrown);
    try {
      const answered = answer(journey);
      return answered instanceof Promise ? answered.catch(failed) : undefined;
    } catch (thrown) {
      return failed(thrown);
    }
  };
}

function answerError({ negotiator, respond, onFault }: RecoverDeps, call: Reached, thrown: unknown): void {
  const error = ApiError.from(thrown);
  if (!(thrown instanceof ApiError)) {
    call.audit?.failed(thrown);
    onFault(call, thrown);
  }
  const warnings = [...warningsOf(call), ...error.warnings];
  respond.error(call.response, errorRepresentation(negotiator, call.request), { error, warnings });
}

/** The representation that the client accepts, or JSON if it accepts none of ours. */
function errorRepresentation(negotiator: Negotiator<ObjectFormat>, request: HttpRequest): Representation {
  try {
    return representationOf(negotiator, request, "get");
  } catch {
    return plainJson;
  }
}

/** The warnings about the request, which every answer to it carries. */
export function warningsOf(call: Reached): readonly string[] {
  const deprecation = subjectOf(call)?.deprecation;
  return deprecation === undefined ? [] : [deprecation.warning];
}
