import type { OpsPage } from "@orch/runtime/service.js";
import { explain } from "@orch/scheduling/cycle/explain.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import type { Scheduling } from "@orch/scheduling/scheduling.js";
import { resourcesPage } from "./resources-page.js";

export interface PagesOptions {
  readonly scheduling: Scheduling;
  readonly now: () => number;
  /** Whether somebody who debugs is told why (`enableProfiling`). */
  readonly debugs: boolean;
}

const text = "text/plain; version=0.0.4; charset=utf-8";
const plain = "text/plain; charset=utf-8";

/** Pages that the service has beside its metrics. */
export function schedulerPages({ scheduling, now, debugs }: PagesOptions): readonly OpsPage[] {
  const { cluster, feed } = scheduling;
  function* pods(): Iterable<PodInfo> {
    yield* cluster.pods();
    for (const pod of feed.waiting()) if (cluster.pod(pod.key) === undefined) yield pod;
  }
  const resources: OpsPage = {
    path: "/metrics/resources",
    answer: () => ({ code: 200, type: text, body: resourcesPage({ pods: pods() }) }),
  };
  const explaining: OpsPage = {
    path: "/debug/explain-schedule",
    answer(query) {
      const key = `${query.get("namespace") ?? "default"}/${query.get("pod") ?? ""}`;
      const told = explained(scheduling, key, now());
      if (told === undefined) return { code: 404, type: plain, body: `no pod ${key} of this scheduler\n` };
      return { code: 200, type: "application/json", body: `${JSON.stringify(told)}\n` };
    },
  };
  return debugs ? [resources, explaining] : [resources];
}

/**
 * What every node is to a pod by what the scheduler sees now, and where in the queue it is. A pod that has a node is in its own way
 * there; `orch explain-schedule` decides as if it were not.
 */
function explained({ cluster, feed, queue, profiles }: Scheduling, key: string, now: number): object | undefined {
  const pod = cluster.pod(key) ?? [...feed.waiting()].find((each) => each.key === key);
  const profile = pod && profiles.get(pod.schedulerName);
  if (pod === undefined || profile === undefined) return undefined;
  const waiting = queue.get(key);
  return {
    pod: key,
    node: pod.nodeName,
    nominatedNode: cluster.nominations.nodeOf(key) ?? "",
    ...(waiting === undefined ? {} : { attempts: waiting.attempts, refusedBy: [...waiting.plugins] }),
    ...explain(profile, cluster, pod, now),
  };
}
