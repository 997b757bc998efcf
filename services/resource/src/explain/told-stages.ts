import type { AnyObject } from "@orch/api/object.js";
import type { Draft } from "../write/draft.js";
import type { Explaining, StageName } from "./explaining.js";

export interface NamedStage {
  readonly name: StageName;
  readonly run: (draft: Draft) => Draft | Promise<Draft>;
}

/** The same stages, which tell what they do to the object. */
export function toldStages(stages: readonly NamedStage[], explaining: Explaining): readonly NamedStage["run"][] {
  const last = stages.at(-1);
  return stages.map((stage) => async (draft) => {
    explaining.enter(stage.name);
    const next = await stage.run(draft);
    explaining.made(draft.object, next.object, shownOf(next, stage.name));
    if (stage === last && next.refusal === undefined) explaining.enter("store");
    return next;
  });
}

const ofTheRequest: ReadonlySet<StageName> = new Set(["place", "default", "own", "mutate"]);

/** From the conversion on a draft's object is of the stored version. */
function shownOf({ surface, object }: Draft, stage: StageName): AnyObject {
  return ofTheRequest.has(stage) ? object : surface.show(object);
}
