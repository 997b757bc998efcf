import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface ObjectSet extends ApiObject {
  readonly spec?: { readonly objects?: readonly unknown[] };
}

/**
 * What a set holds is applied and never stored with it: whoever may read sets may not read the secrets in them. The same stands
 * in the annotation of clients that apply on their own side, which is kept without it.
 */
export const objectSet = behavior<ObjectSet>((naming) => ({
  kept: (set) => withoutApplied(naming, withoutObjects(set)),
}));

function withoutObjects(set: ObjectSet): ObjectSet {
  if (set.spec?.objects === undefined) return set;
  const { objects: _objects, ...spec } = set.spec;
  return { ...set, spec };
}

function withoutApplied({ clientSideApply: { annotation } }: Naming, set: ObjectSet): ObjectSet {
  const { annotations = {} } = set.metadata;
  const applied = annotations[annotation];
  if (applied === undefined) return set;
  const { [annotation]: _applied, ...others } = annotations;
  const kept = appliedWithoutObjects(applied);
  const all = kept === undefined ? others : { ...others, [annotation]: kept };
  return { ...set, metadata: { ...set.metadata, annotations: all } };
}

/** Undefined of a text that is no object: who knows what it says. */
function appliedWithoutObjects(text: string): string | undefined {
  try {
    const applied = readJson(text);
    if (!isObject(applied)) return undefined;
    const { spec, ...others } = applied;
    if (!isObject(spec)) return `${JSON.stringify(others)}\n`;
    const { objects: _objects, ...rest } = spec;
    return `${JSON.stringify({ ...others, spec: rest })}\n`;
  } catch {
    return undefined;
  }
}
