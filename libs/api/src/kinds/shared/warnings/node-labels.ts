import type { Naming } from "@orch/naming/naming.js";
import type { NodeSelectorTerm } from "../../core/node-selector.js";
import type { LabelSelector } from "../label-selector.js";

/** What is said of labels of nodes that have been replaced. */
export type NodeLabels = ReadonlyMap<string, string>;

export function deprecatedNodeLabels({ key }: Naming): NodeLabels {
  const since = (release: string, name: string): string => `deprecated since v${release}; use "${name}" instead`;
  return new Map([
    [`beta.${key("arch")}`, since("1.14", key("arch"))],
    [`beta.${key("os")}`, since("1.14", key("os"))],
    [`failure-domain.beta.${key("region")}`, since("1.17", `topology.${key("region")}`)],
    [`failure-domain.beta.${key("zone")}`, since("1.17", `topology.${key("zone")}`)],
    [`beta.${key("instance-type")}`, since("1.17", `node.${key("instance-type")}`)],
    [`app.${key("created-by")}`, "deprecated since v1.9"],
    [`scheduler.alpha.${key("preferAvoidPods")}`, "deprecated since v1.22; use Taints and Tolerations instead"],
    [`node-role.${key("master")}`, `use "node-role.${key("control-plane")}" instead`],
  ]);
}

export function* termWarnings(term: NodeSelectorTerm, at: string, labels: NodeLabels): Iterable<string> {
  for (const [i, { key = "" }] of (term.matchExpressions ?? []).entries()) {
    const why = labels.get(key);
    if (why !== undefined) yield `${at}.matchExpressions[${i}].key: ${key} is ${why}`;
  }
}

export function* termsWarnings(
  terms: readonly NodeSelectorTerm[] | undefined,
  at: string,
  labels: NodeLabels,
): Iterable<string> {
  for (const [i, term] of (terms ?? []).entries()) yield* termWarnings(term, `${at}[${i}]`, labels);
}

export function* selectorWarnings(selector: LabelSelector | undefined, at: string, labels: NodeLabels) {
  if (selector === undefined) return;
  const { matchExpressions = [], matchLabels = {} } = selector;
  yield* termWarnings({ matchExpressions }, at, labels);
  for (const [label, why] of labels) {
    if (Object.hasOwn(matchLabels, label)) yield `${at}.matchLabels.${label}: ${why}`;
  }
}

/** Of a map of labels that nodes must have; `each` makes the path of a label. */
export function* nodeSelectorWarnings(
  selector: Readonly<Record<string, string>> | undefined,
  labels: NodeLabels,
  each: (label: string) => string,
): Iterable<string> {
  for (const [label, why] of labels) {
    if (selector !== undefined && Object.hasOwn(selector, label)) yield `${each(label)}: ${why}`;
  }
}
