import { type BuiltIn, builtInFlow } from "@orch/api/kinds/flowcontrol/built-in.js";
import type { FlowSchemaSpec, LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import type { Naming } from "@orch/naming/naming.js";

/** The schema of requests that match no other schema. */
export const catchAllName = "catch-all";

export interface FlowObject<Spec> {
  readonly name: string;
  /** "" for what is not stored. */
  readonly uid: string;
  readonly spec: Spec;
}

/** What flow control is configured by: the FlowSchemas and PriorityLevelConfigurations that there are. */
export interface FlowConfig {
  readonly schemas: readonly FlowObject<FlowSchemaSpec>[];
  readonly levels: readonly FlowObject<LevelSpec>[];
}

/** The configuration of a gateway that has not read the stored objects yet. */
export function builtInConfig(naming: Naming): FlowConfig {
  const { schemas, levels } = builtInFlow(naming);
  return { schemas: schemas.map(unstored), levels: levels.map(unstored) };
}

/** With the mandatory objects, which may just have been deleted and are about to be made again. */
export function withMandatory(naming: Naming, { schemas, levels }: FlowConfig): FlowConfig {
  const builtIn = builtInFlow(naming);
  const missing = <Spec>(made: readonly BuiltIn<Spec>[], there: readonly FlowObject<Spec>[]) =>
    made.filter((o) => o.mandatory && !there.some(({ name }) => name === o.name)).map(unstored);
  return {
    schemas: [...schemas, ...missing(builtIn.schemas, schemas)],
    levels: [...levels, ...missing(builtIn.levels, levels)],
  };
}

function unstored<Spec>({ name, spec }: BuiltIn<Spec>): FlowObject<Spec> {
  return { name, uid: "", spec };
}
