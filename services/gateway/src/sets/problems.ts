import { ApiError, type Status } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import type { FieldError } from "@orch/status/field-error.js";
import { httpCodes } from "@orch/status/reasons.js";
import { shownCauses } from "@orch/status/shown-causes.js";

/** Why an object of a set is refused. */
export interface Problem {
  /** `spec.objects[3]`, `status.members[0]`. */
  readonly at: string;
  /** The object; "" where it has no name yet. */
  readonly what: string;
  readonly error: ApiError;
}

/** A set as errors name it. */
export interface Named {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
}

interface Told {
  readonly set: Named;
  /** What that means for the set: `nothing was written`. */
  readonly outcome: string;
}

const shownInText = 10;

/**
 * One error for all objects that are refused, each with its own causes at its place. Its reason is theirs where they have one
 * in common.
 */
export function refusal(problems: readonly Problem[], { set, outcome }: Told): ApiError {
  const { causes } = shownCauses(problems.flatMap(causesOf), problems.length);
  const texts = problems.slice(0, shownInText).map(textOf);
  const more = problems.length - texts.length;
  if (more > 0) texts.push(`and ${more} more`);
  const count = problems.length === 1 ? "an object is" : `${problems.length} objects are`;
  const { kind, group, name } = set;
  const retryAfterSeconds = problems[0]?.error.details?.retryAfterSeconds;
  return ApiError.fromStatus({
    ...commonOf(problems),
    message: `${kind} ${JSON.stringify(name)}: ${count} refused, ${outcome}: ${texts.join("; ")}`,
    details: { name, group, kind, causes, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  });
}

/** Of all errors, where they are alike: webhooks say codes and reasons of their own. */
function commonOf(problems: readonly Problem[]): Pick<Status, "code" | "reason"> {
  const [first, ...others] = problems.map(({ error }) => error.toStatus());
  const isAlike = ({ code, reason }: Status): boolean => code === first?.code && reason === first.reason;
  if (first === undefined || !others.every(isAlike)) return { code: httpCodes.Invalid, reason: "Invalid" };
  return { code: first.code, ...(first.reason === undefined ? {} : { reason: first.reason }) };
}

function textOf({ at, what, error }: Problem): string {
  return `${at}${what === "" ? "" : ` ${what}`}: ${cut(error.message)}`;
}

function causesOf({ at, error }: Problem): readonly FieldError[] {
  const causes = error.details?.causes ?? [];
  if (causes.length === 0) return [{ reason: "FieldValueInvalid", field: at, message: error.message }];
  return causes.map(({ reason = "FieldValueInvalid", field = "", message }) => ({
    reason,
    field: field === "" ? at : `${at}.${field}`,
    message,
  }));
}

/** What `run` gives, or what it is refused with. @throws what is no ApiError */
export async function orProblem<T>(
  place: Omit<Problem, "error">,
  run: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly problem: Problem }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { problem: { ...place, error } };
  }
}
