import type { AnyObject } from "@orch/api/object.js";
import type { UserInfo } from "@orch/auth/user.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Write } from "../writes.js";

/** A question that a client asks by creating an object. */
export interface Question {
  /** Of the kind's hub, with its defaults and validated. */
  readonly object: AnyObject;
  /** Who asks. */
  readonly user: UserInfo;
  /** Called with an unexpected error, although the client gets an answer. */
  readonly onFault: (error: unknown) => void;
}

/** A create of a review, by a user who may create it. */
export interface ReviewRequest extends Omit<Write, "verb" | "observer"> {
  readonly onFault: (error: unknown) => void;
}

/** The parts of an answer besides kind and apiVersion; zeros may stand where the reference has none. */
export interface Answer {
  /** That of the question, or what the server says about the answer. */
  readonly metadata: object;
  readonly spec?: unknown;
  readonly status: object;
}

/** @throws ApiError for what cannot be asked */
export type AnswerReview = (question: Question) => Answer | Promise<Answer>;

/** The question with its answer. */
export function answered({ metadata, spec }: AnyObject, status: object): Answer {
  return { metadata, ...(spec === undefined ? {} : { spec }), status };
}

/** The text of an error that is a part of an answer, without the details of a fault. */
export function toldError({ onFault }: Question, error: unknown): string {
  if (!(error instanceof ApiError)) onFault(error);
  return ApiError.from(error).message;
}

/** A user as reviews show one. */
export function shownUser({ name, uid, groups, extra }: UserInfo): object {
  return { username: name, uid, groups, extra };
}
