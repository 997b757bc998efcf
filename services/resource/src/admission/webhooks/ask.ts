import type { AnyObject } from "@orch/api/object.js";
import { type Match, matchConditions } from "@orch/cel/admission/run.js";
import { activate } from "@orch/cel/admission/subject.js";
import { CallRefused } from "@orch/rpc/call-refused.js";
import type { CallPurpose } from "@orch/rpc/messages.js";
import type { WebhookCall } from "@orch/rpc/webhook-calls.js";
import { ApiError, badRequest, forbidden, internalError, timeout } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Span } from "@orch/status/span.js";
import type { Explaining, Step, StepOutcome } from "../../explain/explaining.js";
import { resourceOf } from "../../write/write.js";
import type { Asking } from "../matching/asking.js";
import type { Concerned } from "../matching/by-resource.js";
import { type Question, requestTree, type Shown } from "../matching/question.js";
import { nameIn } from "../policies/denied.js";
import type { Hook } from "./hook.js";
import type { WebhookMetrics } from "./metrics.js";
import { deniedBy, ReviewError, reviewFor, type Verdict, verdictOf } from "./review.js";

/** What asking webhooks needs. */
export interface AskDeps {
  /** Of AdmissionReview. */
  readonly group: string;
  readonly call: (call: WebhookCall) => Promise<Buffer>;
  readonly namespaceOf: (question: Question) => Promise<AnyObject | undefined>;
  /** The question's objects in another version. */
  readonly show: (question: Question, kind: Concerned<Hook>["match"]["kind"]) => Shown | Promise<Shown>;
  readonly newUid: () => string;
  readonly metrics: WebhookMetrics;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** By which configurations, and who asks the authorizer for conditions. */
export interface Asked extends AskDeps {
  readonly kind: Kind;
  readonly asking: () => Asking;
}

export type Kind = Extract<CallPurpose, "mutating" | "validating">;

/** What came of asking one webhook. */
export type Answer =
  /** It was not asked, or its failure does not matter. */
  | { readonly type: "none"; readonly failedOpen: boolean }
  | { readonly type: "allowed"; readonly verdict: Verdict }
  | { readonly type: "denied"; readonly error: ApiError; readonly verdict: Verdict };

const none: Answer = { type: "none", failedOpen: false };
const failedOpen: Answer = { type: "none", failedOpen: true };

/** Asks one webhook, if the write is meant. @throws ApiError where it cannot be asked, and that matters */
export function ask(concerned: Concerned<Hook>, question: Question, deps: Asked): Promise<Answer> {
  const { explaining } = question.write;
  return explaining === undefined
    ? asked(concerned, question, deps)
    : tellingAnswer(concerned.one, explaining, asked(concerned, question, deps));
}

/** A mutating webhook that has allowed a write tells itself what it has changed. */
async function tellingAnswer(hook: Hook, explaining: Explaining, answering: Promise<Answer>): Promise<Answer> {
  const tell = (outcome: StepOutcome, message?: string): void =>
    explaining.asked({ by: byHook(hook), outcome, message });
  try {
    const answer = await answering;
    if (answer.type === "denied") tell("denied", answer.error.message);
    else if (answer.type === "none" && answer.failedOpen) tell("failedOpen");
    return answer;
  } catch (error) {
    tell("failed", messageOf(error));
    throw error;
  }
}

/** How an explanation names a webhook. */
export function byHook({ name, configuration }: Hook): Step["by"] {
  return { type: "webhook", name, configuration };
}

async function asked({ one: hook, match }: Concerned<Hook>, question: Question, deps: Asked): Promise<Answer> {
  const { metrics, kind, now } = deps;
  if (!(await hook.matcher.write(question, match, () => deps.namespaceOf(question)))) return none;
  const shown = await deps.show(question, match.kind);
  const condition = await toldHolds(hook, question, { shown, deps });
  if (condition.matches === false) return none;
  if (condition.matches === "unknown") {
    if (hook.failsOpen) return none;
    throw forbidden(resourceOf(question.write.requested), nameIn(question), condition.error);
  }
  if (question.dryRun && hook.hasSideEffects) {
    throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  }
  const since = now();
  const left = (question.write.deadline ?? Number.POSITIVE_INFINITY) - since;
  if (left <= 0) throw outOfTime();
  const uid = deps.newUid();
  const span = callSpan(hook, question, { kind, uid, match });
  const ended = (told: { readonly rejected: boolean; readonly code: number }): void => {
    const ms = now() - since;
    noteWait(question, kind, ms);
    metrics.asked({ name: hook.name, type: kind, operation: question.operation, ...told }, ms / 1000);
  };
  try {
    const review = reviewFor(hook, question, shown, { group: deps.group, uid });
    const bytes = await deps
      .call({ client: hook.client, body: review.body, timeoutMs: Math.min(hook.timeoutMs, left), span })
      .catch((error: unknown) => {
        if (error instanceof ApiError)
          throw new ReviewError(`failed to call webhook: ${error.message}`, { cause: error });
        throw new ReviewError(`failed to call webhook: ${error instanceof Error ? error.message : ""}`, {
          cause: error,
        });
      });
    span?.event("Request completed");
    const verdict = verdictOf(bytes, review, kind === "mutating");
    if (verdict.allowed) {
      ended({ rejected: false, code: 200 });
      return { type: "allowed", verdict };
    }
    const error = deniedBy(hook, verdict);
    ended({ rejected: true, code: error.code });
    metrics.rejected({ name: hook.name, type: kind, operation: question.operation }, "no_error", error.code);
    return { type: "denied", error, verdict };
  } catch (error) {
    if (!(error instanceof ReviewError)) throw error;
    const isLate = left < hook.timeoutMs && error.cause instanceof CallRefused && error.cause.failure === "timeout";
    const isPassed = hook.failsOpen && !isLate;
    ended({ rejected: !isPassed, code: isPassed ? 200 : 500 });
    if (isLate) throw outOfTime();
    if (isPassed) {
      metrics.failedOpen(hook.name, kind);
      return failedOpen;
    }
    metrics.rejected({ name: hook.name, type: kind, operation: question.operation }, "calling_webhook_error", 500);
    throw internalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${error.message}`);
  } finally {
    span?.end();
  }
}

/** The writer does not wait any longer: nobody else need be asked. */
const outOfTime = (): ApiError => timeout("Timeout: request did not complete within the allotted timeout");

function noteWait({ write: { waited } }: Question, kind: Kind, ms: number): void {
  if (waited === undefined) return;
  if (kind === "mutating") waited.mutatingMs += ms;
  else waited.validatingMs = Math.max(waited.validatingMs, ms);
}

/** By the reference's name and attributes; undefined where the write is not traced. */
function callSpan(
  hook: Hook,
  { write, operation }: Question,
  { kind, uid, match }: { readonly kind: Kind; readonly uid: string; readonly match: Concerned<Hook>["match"] },
): Span | undefined {
  const { group, version, plural } = match.kind;
  const groupVersion = group === "" ? `/${version}` : `${group}/${version}`;
  return write.span?.child(`Call ${kind} webhook`, {
    ...{ UID: uid, configuration: hook.configuration, webhook: hook.name, operation },
    resource: `${groupVersion}, Resource=${plural}`,
    subresource: write.request.subresource,
  });
}

async function toldHolds(
  hook: Hook,
  question: Question,
  { shown, deps }: { readonly shown: Shown; readonly deps: Asked },
): Promise<Match> {
  if (hook.conditions().length === 0) return { matches: true };
  const since = deps.now();
  const match = await holds(hook, question, { shown, asking: deps.asking });
  const came = match.matches === "unknown" ? "failed" : match.matches ? "matches" : "excluded";
  const of = { name: hook.name, type: deps.kind, operation: question.operation };
  deps.metrics.matched(of, came, (deps.now() - since) / 1000);
  return match;
}

async function holds(
  hook: Hook,
  question: Question,
  { shown, asking }: { readonly shown: Shown; readonly asking: Asked["asking"] },
): Promise<Match> {
  const conditions = hook.conditions();
  const { asker, values } = asking();
  const subject = {
    object: shown.object ?? null,
    oldObject: shown.old ?? null,
    request: requestTree(question, shown),
    namespace: null,
    authorizer: values,
  };
  return asker.answered(() => matchConditions(conditions, activate(subject, [])));
}
