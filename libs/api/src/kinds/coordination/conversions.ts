import type { Naming } from "@orch/naming/naming.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { readJson } from "@orch/status/read-json.js";
import { type Conversions, conversion } from "../../conversion.js";
import type { ApiObject } from "../../object.js";
import type { LeaseCandidate } from "./lease-candidate.js";

interface OldSpec extends Omit<NonNullable<LeaseCandidate["spec"]>, "strategy"> {
  readonly preferredStrategies?: readonly string[];
}

interface OldCandidate extends ApiObject {
  readonly spec?: OldSpec;
}

/** The first version had a list of strategies by preference, of which the first is in force; the rest is kept aside. */
const strategies = conversion<OldCandidate, LeaseCandidate>((naming) => ({
  toHub: ({ spec, ...object }) => {
    if (spec === undefined) return object;
    const { preferredStrategies = [], ...rest } = spec;
    const [strategy = ""] = preferredStrategies;
    const said = strategy === "" ? 0 : 1;
    return {
      ...object,
      metadata:
        preferredStrategies.length === said ? object.metadata : withList(object.metadata, preferredStrategies, naming),
      spec: { ...rest, ...(strategy === "" ? {} : { strategy }) },
    };
  },
  fromHub: ({ spec, ...object }) => {
    if (spec === undefined) return object;
    const { strategy = "", ...rest } = spec;
    const { metadata, list } = takeList(object.metadata, naming);
    const preferred = list !== undefined && (list[0] ?? "") === strategy ? list : strategy === "" ? [] : [strategy];
    return {
      ...object,
      metadata,
      spec: { ...rest, ...(preferred.length === 0 ? {} : { preferredStrategies: preferred }) },
    };
  },
}));

export const coordinationConversions: Conversions = [["coordination/v1alpha1.LeaseCandidate", strategies]];

const annotationOf = (naming: Naming): string => `coordination.${naming.key("preferred-strategies")}`;

function withList(metadata: ObjectMeta, list: readonly string[], naming: Naming): ObjectMeta {
  const annotations = { ...metadata.annotations, [annotationOf(naming)]: JSON.stringify(list) };
  return { ...metadata, annotations };
}

function takeList(metadata: ObjectMeta, naming: Naming) {
  const { [annotationOf(naming)]: text, ...others } = metadata.annotations ?? {};
  if (text === undefined) return { metadata, list: undefined };
  const { annotations, ...rest } = metadata;
  const without = Object.keys(others).length === 0 ? rest : { ...rest, annotations: others };
  return { metadata: without, list: listOf(text) };
}

/** Whoever wrote the annotation may have written anything. */
function listOf(text: string): readonly string[] | undefined {
  try {
    const list: unknown = readJson(text);
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : undefined;
  } catch {
    return undefined;
  }
}
