import type { Naming } from "@orch/naming/naming.js";
import { nodeSelectionOf } from "@orch/scheduling/model/node-selection.js";
import type { RawNodeTerm, RawToleration } from "@orch/scheduling/model/objects.js";
import { isTolerated, taintOf } from "@orch/scheduling/model/tolerations.js";
import type { Pod } from "../rim/pods.js";
import type { Node, TemplateSpec } from "./types.js";

/** Whether a node has a pod of a set, and whether one that runs there may stay. */
export interface Place {
  readonly runs: boolean;
  readonly stays: boolean;
}

/** The tolerations that every pod of a daemon set has: nodes with troubles need it the more. */
export function daemonTolerations({ hostNetwork }: TemplateSpec, naming: Naming): readonly RawToleration[] {
  const exists = (name: string, effect: string): RawToleration => ({
    ...{ key: `node.${naming.key(name)}`, operator: "Exists", effect },
  });
  return [
    ...["not-ready", "unreachable"].map((name) => exists(name, "NoExecute")),
    ...["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"].map((name) => exists(name, "NoSchedule")),
    ...(hostNetwork === true ? [exists("network-unavailable", "NoSchedule")] : []),
  ];
}

/** Decides for many nodes about one template. */
export function placesOf(template: TemplateSpec, naming: Naming): (node: Node) => Place {
  const selection = nodeSelectionOf(template.nodeSelector, template.affinity?.nodeAffinity);
  const tolerations = [...(template.tolerations ?? []), ...daemonTolerations(template, naming)];
  return ({ metadata, spec }) => {
    const { name = "", labels = {} } = metadata;
    const isAsked = template.nodeName === undefined || template.nodeName === "" || template.nodeName === name;
    const fits = selection?.matches({ name, labels: new Map(Object.entries(labels)) }) ?? true;
    if (!isAsked || !fits) return { runs: false, stays: false };
    const repelled = new Set<string>();
    for (const taint of (spec?.taints ?? []).map(taintOf))
      if (!isTolerated(tolerations, taint)) repelled.add(taint.effect);
    const stays = !repelled.has("NoExecute");
    return { runs: stays && !repelled.has("NoSchedule"), stays };
  };
}

/** A template's spec for one node: the scheduler binds it there and nowhere else. */
export function specForNode(template: TemplateSpec, node: string, naming: Naming) {
  const own = template.tolerations ?? [];
  const isGiven = (toleration: RawToleration): boolean =>
    own.some(({ key, effect, operator }) => {
      return key === toleration.key && effect === toleration.effect && operator === toleration.operator;
    });
  const nodeAffinity = template.affinity?.nodeAffinity;
  // What the template requires of nodes was looked at when this one was chosen.
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const nodeSelectorTerms = [{ matchFields }];
  return {
    ...template,
    tolerations: [...own, ...daemonTolerations(template, naming).filter((each) => !isGiven(each))],
    affinity: {
      ...template.affinity,
      nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    },
  };
}

interface Targeted {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly RawNodeTerm[] };
}

/** The node that a pod of a daemon set is on, or is for. */
export function nodeOf({ spec }: Pod): string {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const affinity: Targeted = spec?.affinity?.nodeAffinity ?? {};
  for (const { matchFields = [] } of affinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []) {
    const [field] = matchFields;
    const [name] = field?.key === "metadata.name" ? (field.values ?? []) : [];
    if (name !== undefined) return name;
  }
  return "";
}
