import type { DomainQuestion } from "../cluster/domain-counts.js";
import type { Countable } from "../cluster/pod-groups.js";
import type { Matcher } from "../model/matcher.js";
import type { NodeFacts } from "../model/node-info.js";
import type { RawSpread } from "../model/objects.js";
import type { PodInfo } from "../model/pod-info.js";
import { narrowed, selectorOf, textOf } from "../model/pod-terms.js";
import { shortTextOf } from "../model/short-text.js";
import { firstUntolerated } from "../model/tolerations.js";

/** How pods are to be spread over the domains of a node label. */
export interface Constraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Undefined: it matches nothing. */
  readonly selector: Matcher | undefined;
  readonly selectorText: string;
  /** Nodes that the pod's own selection leaves out do not count. */
  readonly honorsAffinity: boolean;
  /** Nodes whose taints the pod does not tolerate do not count. */
  readonly honorsTaints: boolean;
}

export type Action = "DoNotSchedule" | "ScheduleAnyway";

/** Those of a pod's own constraints that act in one way; `given` replaces their selectors. */
export function constraintsOf(
  raw: readonly RawSpread[],
  action: Action,
  pod: PodInfo,
  given?: { readonly selector: Matcher; readonly text: string },
): readonly Constraint[] {
  return raw
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((constraint) => ({
      topologyKey: constraint.topologyKey ?? "",
      maxSkew: constraint.maxSkew ?? 1,
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: constraint.nodeAffinityPolicy !== "Ignore",
      honorsTaints: constraint.nodeTaintsPolicy === "Honor",
      ...(given === undefined ? ownSelector(constraint, pod) : { selector: given.selector, selectorText: given.text }),
    }));
}

/** `matchLabelKeys` ask for the pod's own values of labels that it has. */
function ownSelector({ labelSelector, matchLabelKeys = [] }: RawSpread, { labels }: PodInfo) {
  const selectorText = textOf(labelSelector);
  const selector = selectorOf(labelSelector, selectorText);
  const own = matchLabelKeys.flatMap((key) => (Object.hasOwn(labels, key) ? [[key, labels[key] ?? ""] as const] : []));
  if (selector === undefined || own.length === 0) return { selector, selectorText };
  return { selector: narrowed(selector, own), selectorText: JSON.stringify([selectorText, own]) };
}

/** An empty selector counts nobody, though it matches the pod itself. */
const counts = ({ selector }: Constraint, pod: Countable, namespace: string): boolean =>
  selector !== undefined &&
  !selector.everything &&
  pod.namespace === namespace &&
  !pod.terminating &&
  selector.matches(pod.labels);

/**
 * The pods that a constraint counts, by domain, on nodes that count and have all of `keys`: one list for all constraints of a
 * pod, which is read once.
 */
export function domainQuestion(constraint: Constraint, pod: PodInfo, keys: readonly string[]): DomainQuestion {
  const { topologyKey, honorsAffinity, honorsTaints, selector, selectorText } = constraint;
  const { namespace, selection, tolerations } = pod;
  const isChosen = honorsAffinity && selection !== undefined && selection.text !== "" ? selection : undefined;
  return {
    text: JSON.stringify([
      "spread",
      namespace,
      selectorText,
      topologyKey,
      shortTextOf(keys),
      isChosen?.text ?? "",
      honorsTaints ? shortTextOf(tolerations) : "",
    ]),
    selector,
    counts: (other) => counts(constraint, other, namespace),
    domainOf: (node: NodeFacts) => {
      for (const key of keys) if (!node.labels.has(key)) return undefined;
      if (isChosen !== undefined && !isChosen.matches(node)) return undefined;
      if (honorsTaints && firstUntolerated(node.taints, tolerations) !== undefined) return undefined;
      return node.labels.get(topologyKey);
    },
  };
}

/** The pods that a constraint counts, by the node that they are on. */
export function nodeQuestion(constraint: Constraint, { namespace }: PodInfo): DomainQuestion {
  return {
    text: JSON.stringify(["node", namespace, constraint.selectorText]),
    selector: constraint.selector,
    counts: (other) => counts(constraint, other, namespace),
    domainOf: ({ name }) => name,
  };
}
