import type { Labels } from "@orch/api/selectors/labels.js";
import { jsonText } from "@orch/status/json-text.js";
import type { Amounts } from "./amounts.js";
import { type HostPort, hostPortsOf } from "./host-ports.js";
import { imagesOf } from "./images.js";
import { type NodeSelection, nodeSelectionOf } from "./node-selection.js";
import type { RawPod, RawSpread, RawToleration, RawVolume } from "./objects.js";
import { type PodTerms, podTermsOf } from "./pod-terms.js";
import { podRequests, unnamed } from "./requests.js";
import { shortText } from "./short-text.js";

/** A pod as cycles see it: read once, when it comes or changes. */
export interface PodInfo {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Empty: on no node yet. */
  readonly nodeName: string;
  readonly schedulerName: string;
  readonly priority: number;
  /** Whether it may make others go. */
  readonly preempts: boolean;
  readonly nominatedNode: string;
  readonly terminating: boolean;
  /** It goes because a scheduler made room. */
  readonly preempted: boolean;
  /** Milliseconds since 1970; absent until its node has begun it. */
  readonly startTime?: number;
  readonly requests: Amounts;
  /** Requests with an assumed amount of `cpu` and `memory` for containers that name none: what scores count. */
  readonly scored: Amounts;
  readonly ports: readonly HostPort[];
  readonly tolerations: readonly RawToleration[];
  readonly selection: NodeSelection | undefined;
  readonly terms: PodTerms;
  readonly spread: readonly RawSpread[];
  readonly images: readonly string[];
  readonly gates: readonly string[];
  readonly volumes: readonly RawVolume[];
  /** The controller that made it. */
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
  readonly raw: RawPod;
}

export function podInfoOf(raw: RawPod): PodInfo {
  const { metadata = {}, spec = {}, status = {} } = raw;
  const { name = "", namespace = "", labels = {} } = metadata;
  const startTime = status.startTime === undefined ? Number.NaN : Date.parse(status.startTime);
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  return {
    key: `${namespace}/${name}`,
    uid: metadata.uid ?? "",
    namespace,
    name,
    labels,
    nodeName: spec.nodeName ?? "",
    schedulerName: spec.schedulerName ?? "",
    priority: spec.priority ?? 0,
    preempts: spec.preemptionPolicy !== "Never",
    nominatedNode: status.nominatedNodeName ?? "",
    terminating: metadata.deletionTimestamp !== undefined,
    preempted: (status.conditions ?? []).some(
      (c) => c.type === "DisruptionTarget" && c.status === "True" && c.reason === "PreemptionByScheduler",
    ),
    ...(Number.isNaN(startTime) ? {} : { startTime }),
    requests: podRequests(spec),
    scored: podRequests(spec, unnamed),
    ports: hostPortsOf(spec),
    tolerations: spec.tolerations ?? [],
    selection: nodeSelectionOf(spec.nodeSelector, spec.affinity?.nodeAffinity),
    terms: podTermsOf(spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity, namespace),
    spread: spec.topologySpreadConstraints ?? [],
    images: imagesOf(spec),
    gates: (spec.schedulingGates ?? []).map((gate) => gate.name ?? ""),
    volumes: spec.volumes ?? [],
    owner:
      controller === undefined
        ? undefined
        : { kind: controller.kind ?? "", name: controller.name ?? "", uid: controller.uid ?? "" },
    raw,
  };
}

/** The same pod as if it were bound. */
export const placed = (pod: PodInfo, nodeName: string): PodInfo => ({ ...pod, nodeName });

/** More important first: the higher priority, then the one that began earlier (`now` for one that has not). */
export function moreImportant(a: PodInfo, b: PodInfo, now: number): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return (a.startTime ?? now) - (b.startTime ?? now);
}

const texts = new WeakMap<RawPod, string>();

/** What a pod asks for, as a text: the same for pods of one template. Made once for each, however often it is tried. */
export function askedText({ namespace, raw }: PodInfo): string {
  let text = texts.get(raw);
  if (text === undefined) {
    const { metadata, spec } = raw;
    text = shortText(jsonText([namespace, metadata?.labels ?? {}, spec ?? {}]));
    texts.set(raw, text);
  }
  return text;
}
