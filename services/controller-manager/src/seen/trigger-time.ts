import { conditionOf } from "./conditions.js";
import type { SeenPod } from "./pod.js";
import type { SeenService } from "./service.js";

/** When a service and its pods last changed in a way that their endpoints show; milliseconds since 1970. */
export interface TriggerTimes {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

export interface Trigger {
  readonly times: TriggerTimes;
  /** The first of the changes since `before`; undefined where there were none. As the annotation has it. */
  readonly text: string | undefined;
}

const timeOf = (text: string | undefined): number => {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
};

/** What is to be told as the time of the change that endpoints are about to show, for those who measure how long that takes. */
export function triggerTime(service: SeenService, pods: readonly SeenPod[], before: TriggerTimes | undefined): Trigger {
  const created = timeOf(service.metadata.creationTimestamp);
  const ready = pods.map(
    (pod) => [pod.metadata.name ?? "", timeOf(conditionOf(pod, "Ready")?.lastTransitionTime)] as const,
  );
  const times = { service: created, pods: new Map(ready.filter(([, at]) => at > 0)) };
  const changed = [...times.pods].filter(([name, at]) => at > (before?.pods.get(name) ?? 0)).map(([, at]) => at);
  if (created > (before?.service ?? 0)) changed.push(created);
  const first = before === undefined ? created : Math.min(...changed);
  const known = Number.isFinite(first) && first > 0;
  return { times, text: known ? new Date(first).toISOString().replace(".000Z", "Z") : undefined };
}
