import { withMetadata } from "@orch/api/object.js";
import { setDefaults } from "@orch/api/writes.js";
import { sharedObject } from "@orch/patch/fields/shared-tree.js";
import { withOwnersOnce } from "@orch/render/owner-references.js";
import { ApiError } from "@orch/status/api-error.js";
import { type NamedStage, toldStages } from "../explain/told-stages.js";
import type { Advice } from "./advice.js";
import { note } from "./audit-notes.js";
import { untilConverted } from "./conversions.js";
import type { Draft } from "./draft.js";
import { trackUpdate } from "./fields/field-management.js";
import { checkNames, checkVersion } from "./preconditions.js";
import { refuseInvalid } from "./refuse.js";
import { inItsPlace } from "./surface.js";

/** One step of a write. It answers nothing: it gives back the draft, or throws. @throws ApiError */
type Stage = NamedStage["run"];

/**
 * From what a writer wants to what may be stored, in the order of the reference: what is forbidden by a mutating plugin is
 * told before what is invalid, what is invalid before what a validating one forbids.
 */
const named: readonly NamedStage[] = [
  { name: "place", run: placed },
  { name: "default", run: defaulted },
  { name: "own", run: tracked },
  { name: "mutate", run: mutated },
  { name: "convert", run: converted },
  { name: "prepare", run: prepared },
  { name: "validate", run: validated },
  { name: "admit", run: admitted },
];
const plain: readonly Stage[] = named.map(({ run }) => run);

/** The stages, and what `store` makes of their draft. @throws ApiError with the warnings that were known by then */
export async function throughStages<T>(begun: Draft, store: (draft: Draft) => Promise<T>): Promise<T> {
  const { explaining } = begun.write;
  const stages = explaining === undefined ? plain : toldStages(named, explaining);
  let draft = begun;
  try {
    for (const stage of stages) {
      const next = stage(draft);
      draft = next instanceof Promise ? await next : next;
    }
    if (draft.refusal !== undefined) throw draft.refusal;
    return await store(draft);
  } catch (error) {
    throw error instanceof ApiError ? error.withWarnings(draft.warnings) : error;
  }
}

/** In the namespace of the path, and of its name where that names one. */
function placed(draft: Draft): Draft {
  const { write, object } = draft;
  if (write.request.name !== "") checkNames(write, object);
  return { ...draft, object: inItsPlace(write, object) };
}

/** What is as it was is the old state's very tree from here on: each later stage compares the two. */
function defaulted(draft: Draft): Draft {
  const { surface, old } = draft;
  const object = setDefaults(surface.kind, draft.object);
  return { ...draft, object: old === undefined ? object : withMetadata(sharedObject(old, object)) };
}

/** Before admission: what the server itself adds belongs to nobody. */
function tracked(draft: Draft): Draft | Promise<Draft> {
  return draft.tracked ? draft : untilConverted(draft.write, () => ({ ...draft, object: trackUpdate(draft) }));
}

function mutated(draft: Draft): Draft | Promise<Draft> {
  const { write, object, old } = draft;
  const { admission } = write.deps;
  const changed =
    old === undefined ? admission.mutateCreate(write, object) : admission.mutateUpdate(write, object, old);
  return changed instanceof Promise
    ? changed.then(({ object: late, advice }) => withAdvice(withChanged(draft, late), advice))
    : withChanged(draft, changed);
}

/** What admission put in has defaults of its own. */
function withChanged(draft: Draft, changed: Draft["object"]): Draft {
  const { warnings } = draft;
  const said = { object: changed, warnings };
  const once = withOwnersOnce(said, " after mutating admission happens");
  if (once.object === draft.object) return draft;
  const object = changed === draft.object ? once.object : setDefaults(draft.surface.kind, once.object);
  return { ...draft, object, warnings: once.warnings };
}

function converted(draft: Draft): Draft {
  const { write, surface, object, old } = draft;
  if (old !== undefined) checkVersion(write, object, old);
  const given = surface.toHub(object, old);
  return { ...draft, object: given, given };
}

function prepared(draft: Draft): Draft {
  return { ...draft, object: draft.surface.prepare(draft.object, draft.old) };
}

/** What the expressions of a custom resource's schema say is asked last, with everything else that is wrong. */
function validated(draft: Draft): Draft {
  const { write, surface, object, old } = draft;
  const { rules } = write.kind;
  const errors = surface.validate(object, old);
  const ruled = rules?.check(object, old, errors);
  refuseInvalid(write.kind, object, ruled === undefined ? errors : [...errors, ...ruled.errors]);
  const told = surface.warnings(draft);
  const warnings = ruled === undefined ? told : [...told, ...ruled.warnings];
  return warnings.length === 0 ? draft : { ...draft, warnings: [...draft.warnings, ...warnings] };
}

function admitted(draft: Draft): Draft | Promise<Draft> {
  const asked = draft.write.deps.admission.validate(draft);
  return asked === undefined ? draft : asked.then((advice) => withAdvice(draft, advice));
}

function withAdvice(draft: Draft, { warnings = [], auditAnnotations = [], refusal }: Advice): Draft {
  note(draft.write, auditAnnotations);
  if (warnings.length === 0 && refusal === undefined) return draft;
  return { ...draft, warnings: [...draft.warnings, ...warnings], refusal };
}
