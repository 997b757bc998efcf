import { compileSelector, type LabelSelector } from "@orch/api/kinds/shared/label-selector.js";
import type { ClusterView } from "../cluster/view.js";
import type { Matcher } from "../model/matcher.js";
import type { PodInfo } from "../model/pod-info.js";

/**
 * Pods like this one: what the services that select it and the controller that made it select, all together. Undefined
 * where that is nothing.
 */
export function defaultSelector(
  pod: PodInfo,
  { objects }: ClusterView,
): { readonly selector: Matcher; readonly text: string } | undefined {
  const { namespace, labels, owner } = pod;
  const matchLabels: Record<string, string> = {};
  const has = (wanted: Readonly<Record<string, string>>): boolean =>
    Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  for (const { spec } of objects.Service.in(namespace)) {
    if (spec?.selector !== undefined && has(spec.selector)) Object.assign(matchLabels, spec.selector);
  }
  const key = `${namespace}/${owner?.name ?? ""}`;
  let own: LabelSelector | undefined;
  if (owner?.kind === "ReplicationController") {
    Object.assign(matchLabels, objects.ReplicationController.get(key)?.spec?.selector);
  } else if (owner?.kind === "ReplicaSet") own = objects.ReplicaSet.get(key)?.spec?.selector;
  else if (owner?.kind === "StatefulSet") own = objects.StatefulSet.get(key)?.spec?.selector;
  const whole: LabelSelector = {
    matchLabels: { ...own?.matchLabels, ...matchLabels },
    matchExpressions: own?.matchExpressions ?? [],
  };
  const selector = compileSelector(whole);
  return selector === undefined || selector.everything ? undefined : { selector, text: JSON.stringify(whole) };
}
