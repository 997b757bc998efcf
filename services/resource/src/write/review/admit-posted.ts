import type { AnyObject } from "@orch/api/object.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Advice, noAdvice } from "../advice.js";
import { note } from "../audit-notes.js";
import { surfaceOf } from "../surface.js";
import type { Admission, Write, WriteDeps } from "../write.js";

/** What is posted and never stored: a Binding, an Eviction, a TokenRequest, a review. */
export interface Posted {
  /** Defaulted, in the version of the request and in its place. */
  readonly object: AnyObject;
  readonly dryRun: boolean;
}

export interface AdmittedPost {
  /** In the version of the request, as admission left it. */
  readonly object: AnyObject;
  readonly warnings: readonly string[];
}

/**
 * Has what is posted changed and judged as a new object is. `check` sees it between the two, in the version of the request.
 * @throws ApiError with the warnings that were known by then
 */
export async function admitPosted(
  write: Write,
  { object: given, dryRun }: Posted,
  check: (object: AnyObject) => void,
): Promise<AdmittedPost> {
  const { admission } = write.deps;
  const said: Advice[] = [];
  const told = (): readonly string[] => said.flatMap(({ warnings = [] }) => warnings);
  try {
    const mutated = admission.mutateCreate(write, given);
    const changed = mutated instanceof Promise ? await mutated : { object: mutated, advice: noAdvice };
    said.push(changed.advice);
    note(write, changed.advice.auditAnnotations ?? []);
    const { object } = changed;
    check(object);
    const state = { write, object: surfaceOf(write).toHub(object, undefined), old: undefined, dryRun };
    const advice = (await admission.validate(state)) ?? noAdvice;
    said.push(advice);
    note(write, advice.auditAnnotations ?? []);
    if (advice.refusal !== undefined) throw advice.refusal;
    return { object, warnings: told() };
  } catch (error) {
    throw error instanceof ApiError ? error.withWarnings(told()) : error;
  }
}

/** For a change that comes of what has been admitted: nobody is asked about it again. */
export function unjudged(deps: WriteDeps): WriteDeps {
  return { ...deps, admission: nobody };
}

const nobody: Admission = {
  concernsCreate: () => false,
  concernsUpdate: () => false,
  mutateCreate: (_write, object) => object,
  mutateUpdate: (_write, object) => object,
  asksAnybody: () => false,
  validate: () => undefined,
  validateDelete: () => undefined,
};
