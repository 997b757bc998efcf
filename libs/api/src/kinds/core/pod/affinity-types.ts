import type { LabelSelector } from "../../shared/label-selector.js";
import type { NodeSelector, NodeSelectorTerm } from "../node-selector.js";

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight?: number;
    readonly preference?: NodeSelectorTerm;
  }[];
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface WeightedPodAffinityTerm {
  readonly weight?: number;
  readonly podAffinityTerm?: PodAffinityTerm;
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}
