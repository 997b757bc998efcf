import { once } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { decodeObject, setDefaults } from "@orch/api/writes.js";
import { applyJsonPatch, readJsonPatch, whyRejected } from "@orch/patch/json-patch.js";
import { isObject } from "@orch/schema/descriptor.js";
import { equalJson } from "@orch/schema/equal.js";
import { ApiError, badRequest, internalError, invalid } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import type { Advice } from "../../write/advice.js";
import { note } from "../../write/audit-notes.js";
import { surfaceOf } from "../../write/surface.js";
import type { NewState, Write } from "../../write/write.js";
import type { Mutated } from "../admission.js";
import { askingFor } from "../matching/asking.js";
import type { Concerned } from "../matching/by-resource.js";
import { type Question, questionOf, type Shown } from "../matching/question.js";
import { inVersion } from "../matching/versions.js";
import { type AskDeps, ask, byHook } from "./ask.js";
import type { Hook } from "./hook.js";
import type { Verdict } from "./review.js";
import { annotationsOf, roundKey, warningsOf } from "./validating.js";

/**
 * Asks one after the other, each with what those before have made of the object. Who is to be asked again is asked once
 * more where something has changed since. @throws ApiError of the one who refuses
 */
export async function mutateByWebhooks(
  concerned: readonly Concerned<Hook>[],
  state: NewState,
  deps: AskDeps,
): Promise<Mutated> {
  const placed = concerned.map((one, index): Placed => ({ one, index }));
  const first = await round(placed, state, { ...deps, round: 0 });
  const { object, asked } = first;
  const advice: Advice = { warnings: first.warnings };
  const repeatable = placed.filter(({ one: { one } }) => one.isReinvoked && asked.has(one));
  if (repeatable.length === 0) return { object, advice };
  return {
    ...{ object, advice },
    async again(later) {
      const second = await round(repeatable, later, { ...deps, round: 1, known: asked });
      return { object: second.object, advice: { warnings: second.warnings } };
    },
  };
}

/** Of a deletion there is nothing to change, and it may be refused. @throws ApiError */
export async function refuseDeletion(
  concerned: readonly Concerned<Hook>[],
  question: Question,
  deps: AskDeps,
): Promise<void> {
  const asking = once(() => askingFor(question));
  for (const one of concerned) {
    const answer = await ask(one, question, { ...deps, kind: "mutating", asking });
    note(question.write, annotationsOf(one.one, answer));
    if (answer.type === "denied") throw answer.error.withWarnings(warningsOf(answer));
  }
}

/** A webhook, and its place among those that are asked. */
interface Placed {
  readonly one: Concerned<Hook>;
  readonly index: number;
}

interface Round {
  readonly object: AnyObject;
  readonly warnings: readonly string[];
  /** What each left behind it. */
  readonly asked: ReadonlyMap<Hook, AnyObject>;
}

interface RoundDeps extends AskDeps {
  readonly round: number;
  /** What webhooks left behind them before: who would see just that again is not asked. */
  readonly known?: ReadonlyMap<Hook, AnyObject>;
}

async function round(concerned: readonly Placed[], state: NewState, deps: RoundDeps): Promise<Round> {
  const { write, old } = state;
  const surface = surfaceOf(write);
  const shownOld = old === undefined ? undefined : surface.show(old);
  const warnings: string[] = [];
  const asked = new Map<Hook, AnyObject>();
  let { object } = state;
  const questionFor = (): Question => questionOf(write, { object, old: shownOld });
  const asking = once(() => askingFor(questionFor()));
  for (const { one, index } of concerned) {
    const hook = one.one;
    if (deps.known?.get(hook) === object) continue;
    const noted = notesOf(write, hook, { round: deps.round, index });
    const question = questionFor();
    const answer = await ask(one, question, { ...deps, kind: "mutating", asking }).catch((error: unknown) => {
      noted.mutated(false);
      return withWarnings(warnings)(error);
    });
    warnings.push(...warningsOf(answer));
    note(write, annotationsOf(hook, answer));
    if (answer.type === "none") {
      if (answer.failedOpen) noted.failedOpen();
      continue;
    }
    if (answer.type === "denied") {
      noted.mutated(false);
      throw answer.error.withWarnings(warnings);
    }
    const next = await patched(one, question, answer.verdict, deps).catch((error: unknown) => {
      noted.mutated(false);
      throw error;
    });
    const changed = next !== undefined && !equalJson(next, question.object) ? next : undefined;
    noted.patched(answer.verdict.patch);
    noted.mutated(changed !== undefined);
    const before = object;
    if (changed !== undefined) object = setDefaults(surface.kind, changed);
    write.explaining?.asked({
      by: byHook(hook),
      outcome: changed === undefined ? "unchanged" : "changed",
      ...{ before, after: object },
    });
    asked.set(hook, object);
  }
  return { object, asked, warnings };
}

/** What the audit event says of a webhook that was asked; every answer says whether the object has changed. */
function notesOf(write: Write, { configuration, name }: Hook, at: { readonly round: number; readonly index: number }) {
  const { notes, deps } = write;
  const key = (what: string): string => roundKey(what, { naming: deps.naming, ...at });
  const mutated = (value: boolean): void => {
    if (notes === undefined) return;
    note(write, [{ key: key("mutation"), value: JSON.stringify({ configuration, webhook: name, mutated: value }) }]);
  };
  return {
    mutated,
    failedOpen(): void {
      if (notes !== undefined) note(write, [{ key: key("failed-open.mutation"), value: name }]);
      mutated(false);
    },
    patched(patch: unknown): void {
      if (notes?.patches !== true || !Array.isArray(patch) || patch.length === 0) return;
      const value = jsonText({ configuration, webhook: name, patch, patchType: "JSONPatch" });
      note(write, [{ key: key("patch"), value }]);
    },
  };
}

function withWarnings(warnings: readonly string[]): (error: unknown) => never {
  return (error) => {
    throw error instanceof ApiError ? error.withWarnings(warnings) : error;
  };
}

/** The object as the webhook's patch leaves it, in the question's version; undefined without a patch. @throws ApiError */
async function patched(
  { match }: Concerned<Hook>,
  question: Question,
  { patch }: Verdict,
  deps: AskDeps,
): Promise<AnyObject | undefined> {
  if (patch === undefined) return undefined;
  const shown = await deps.show(question, match.kind);
  const tree = carriedOut(shown, patch);
  if (!isObject(tree)) throw internalError("couldn't get version/kind; the patched object is no object");
  const { kind } = tree;
  if (kind !== shown.kind.kind) throw otherKind(question, String(kind));
  const own = await inVersion(question.write, tree, { from: shown.kind, to: question.kind });
  return checked(question, decoded(question, own));
}

/** What a webhook's patch cannot do is the webhook's fault, and none of the writer. */
function carriedOut({ object }: Shown, patch: unknown): unknown {
  try {
    return applyJsonPatch(object, readJsonPatch(patch));
  } catch (error) {
    if (error instanceof ApiError) throw internalError(whyRejected(error));
    throw error;
  }
}

function decoded({ kind }: Question, tree: AnyObject): AnyObject {
  try {
    return withMetadata(decodeObject(kind, tree).object);
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : "the patched object could not be read");
  }
}

function otherKind({ kind, name }: Question, given: string): ApiError {
  const wrong = fieldError.invalid("kind", given, `must be ${kind.kind}`);
  return invalid({ group: kind.group, kind: given }, name, [wrong]);
}

function checked({ write, operation }: Question, object: AnyObject): AnyObject {
  if (operation === "CONNECT") return object;
  const { namespace = "" } = object.metadata;
  if (write.requested.namespaced && namespace !== write.request.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return object;
}
