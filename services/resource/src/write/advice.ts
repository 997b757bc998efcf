import type { ApiError } from "@orch/status/api-error.js";

/** What is noted of a request in its audit event. */
export interface AuditAnnotation {
  /** With its domain. */
  readonly key: string;
  readonly value: string;
}

/**
 * What plugins note of a request for its audit event, where it has one. It is gathered beside the drafts: a refusal leaves
 * none behind, and what was noted before it counts all the same.
 */
export interface AuditNotes {
  readonly noted: Map<string, string>;
  /** What webhooks have changed is noted, too. */
  readonly patches: boolean;
}

/** What a plugin that judges a new state says of it. */
export interface Advice {
  /** The writer is told, whether the state is stored or not. */
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: readonly AuditAnnotation[];
  /** It is not stored. */
  readonly refusal?: ApiError | undefined;
}

export const noAdvice: Advice = {};
