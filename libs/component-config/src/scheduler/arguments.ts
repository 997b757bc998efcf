import type { MessageType } from "@orch/schema/descriptor.js";
import {
  bool,
  borrowed,
  given,
  inside,
  int32,
  int64,
  keyedList,
  kind,
  list,
  maybe,
  type Struct,
  struct,
  text,
  texts,
  type ValueOf,
} from "../shape.js";

/** Types of the catalog that arguments hold: `core/v1.NodeAffinity`. */
export type CatalogTypes = (name: string) => MessageType | undefined;

interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly LabelRequirement[];
  readonly matchFields?: readonly LabelRequirement[];
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
  };
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly preference: NodeSelectorTerm;
  }[];
}

export interface TopologySpreadConstraint {
  readonly maxSkew?: number;
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: object;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

const resourceSpec = struct("ResourceSpec", { name: text(), weight: int64(1) });
const shapePoint = struct("UtilizationShapePoint", { utilization: int32(), score: int32() });
const cpuAndMemory = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
] as const;
const resources = keyedList(resourceSpec, ["name"], cpuAndMemory);
const scoringStrategy = struct("ScoringStrategy", {
  type: text("LeastAllocated"),
  resources,
  requestedToCapacityRatio: maybe(inside(struct("RequestedToCapacityRatioParam", { shape: list(shapePoint) }))),
});

/** Kinds of arguments by the plugin that takes them. */
export function argumentKinds(types: CatalogTypes) {
  const nodeAffinity: Struct<NodeAffinity> = borrowed("NodeAffinity", () => types("core/v1.NodeAffinity"));
  const constraint: Struct<TopologySpreadConstraint> = borrowed("TopologySpreadConstraint", () =>
    types("core/v1.TopologySpreadConstraint"),
  );
  return {
    DefaultPreemption: kind("DefaultPreemptionArgs", {
      minCandidateNodesPercentage: given(int32(10)),
      minCandidateNodesAbsolute: given(int32(100)),
    }),
    InterPodAffinity: kind("InterPodAffinityArgs", {
      hardPodAffinityWeight: given(int32(1)),
      ignorePreferredTermsOfExistingPods: bool(),
    }),
    NodeAffinity: kind("NodeAffinityArgs", { addedAffinity: maybe(inside(nodeAffinity)) }),
    NodeResourcesBalancedAllocation: kind("NodeResourcesBalancedAllocationArgs", { resources }),
    NodeResourcesFit: kind("NodeResourcesFitArgs", {
      ignoredResources: texts(),
      ignoredResourceGroups: texts(),
      scoringStrategy: inside(scoringStrategy),
    }),
    PodTopologySpread: kind("PodTopologySpreadArgs", {
      defaultConstraints: list(constraint),
      defaultingType: text("System"),
    }),
    VolumeBinding: kind("VolumeBindingArgs", {
      bindTimeoutSeconds: given(int64(600)),
      shape: maybe(list(shapePoint)),
    }),
  };
}

export type ArgumentKinds = ReturnType<typeof argumentKinds>;
export type PluginWithArguments = keyof ArgumentKinds;
/** The arguments of a plugin, whole. */
export type ArgumentsOf<P extends PluginWithArguments> = ValueOf<ArgumentKinds[P]>;
