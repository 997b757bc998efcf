import type { AnyObject } from "@orch/api/object.js";
import type { JsonObject } from "@orch/schema/descriptor.js";

/** The stages of a write as an explanation names them, in their order. */
export const stageNames = [
  /** The body is read, a new object gets its metadata. */
  "read",
  /** What the verb makes of the live state: a replacement, a patch, an applied configuration. */
  "change",
  "place",
  "default",
  /** Who owns which field. */
  "own",
  /** Mutating admission, and defaults of what it put in. */
  "mutate",
  /** Into the version in which it is judged. */
  "convert",
  /** What the server decides itself. */
  "prepare",
  "validate",
  /** Validating admission. */
  "admit",
  /** Its name is free, its state still the one that was read; services get their numbers. */
  "store",
] as const;
export type StageName = (typeof stageNames)[number];

/** Whoever was asked about the object. */
export type Asked =
  | { readonly type: "plugin"; readonly name: string }
  /** `binding` is absent where the policy itself is at fault. */
  | { readonly type: "policy"; readonly name: string; readonly binding?: string | undefined }
  | { readonly type: "webhook"; readonly name: string; readonly configuration: string }
  /** Of a custom resource's versions. */
  | { readonly type: "conversion"; readonly name: string; readonly to: string };

export type StepOutcome =
  | "changed"
  | "unchanged"
  | "allowed"
  | "warned"
  | "audited"
  | "denied"
  | "failed"
  | "failedOpen";

/** What came of asking somebody. */
export interface Step {
  readonly by: Asked;
  readonly outcome: StepOutcome;
  readonly message?: string | undefined;
  /** Where it may change the object. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

export interface ToldStage {
  readonly name: StageName;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly steps: readonly Step[];
  /** There were more. */
  readonly moreSteps: boolean;
}

/** What is gathered beside the drafts of a write that is to be explained: objects that never change, to be compared at the end. */
export interface Explaining {
  /** A stage begins; one that begins again forgets what came after it. */
  enter(stage: StageName): void;
  /** What the stage that is under way made of the object; `shown` is how clients of the endpoint would read it. */
  made(before: AnyObject, after: AnyObject, shown: AnyObject): void;
  /** Somebody was asked during the stage that is under way. */
  asked(step: Step): void;
  /** What the verb makes of the object that is changed, both as clients of the endpoint read them. */
  began(live: AnyObject, wanted: AnyObject): void;
  readonly live: AnyObject | undefined;
  /** The last draft, as clients read it. */
  readonly latest: AnyObject | undefined;
  readonly stages: readonly ToldStage[];
}

/** A cluster may have thousands of policies. */
const mostSteps = 500;

export function createExplaining(): Explaining {
  let stages: (ToldStage & { steps: Step[] })[] = [];
  const stageOf = (name: StageName): ToldStage & { steps: Step[] } => ({
    ...{ name, before: undefined, after: undefined, steps: [], moreSteps: false },
  });
  const change = (by: (stage: ToldStage & { steps: Step[] }) => ToldStage & { steps: Step[] }): void => {
    const last = stages.at(-1) ?? stageOf("read");
    stages = [...stages.slice(0, -1), by(last)];
  };
  let live: AnyObject | undefined;
  let latest: AnyObject | undefined;
  return {
    get latest() {
      return latest;
    },
    began(state, wanted) {
      live = state;
      latest = undefined;
      change((stage) => ({ ...stage, before: state, after: wanted }));
    },
    get live() {
      return live;
    },
    enter(name) {
      const at = stageNames.indexOf(name);
      stages = [...stages.filter((one) => stageNames.indexOf(one.name) < at), stageOf(name)];
    },
    made(before, after, shown) {
      latest = shown;
      change((stage) => ({ ...stage, before, after }));
    },
    asked(step) {
      change((stage) => {
        if (stage.steps.length >= mostSteps) return { ...stage, moreSteps: true };
        stage.steps.push(step);
        return stage;
      });
    },
    get stages() {
      return stages;
    },
  };
}
