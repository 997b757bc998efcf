import type { Client } from "@orch/client/client.js";
import { listAll } from "@orch/client/list-all.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { SchedulerConfiguration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Explanation, explain } from "@orch/scheduling/cycle/explain.js";
import type { Decision } from "@orch/scheduling/cycle/schedule.js";
import type { Registry } from "@orch/scheduling/framework/profile.js";
import type { RawPod } from "@orch/scheduling/model/objects.js";
import { podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { createScheduling } from "@orch/scheduling/scheduling.js";
import { sourcesOf, trusted } from "../sources.js";

export interface ExplainDeps {
  readonly client: Pick<Client, "list">;
  readonly naming: Naming;
  readonly config: SchedulerConfiguration;
  readonly plugins: Registry;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ExplainedPod {
  readonly decision: Decision;
  readonly explanation: Explanation;
}

/**
 * What would become of a pod, and what every node is to it, by what the server says now. It decides as if the pod were not there yet, and
 * changes nothing. Undefined: no profile has its scheduler's name.
 */
export async function explainPod(object: ApiObject, deps: ExplainDeps): Promise<ExplainedPod | undefined> {
  const { client, naming, config, plugins, now } = deps;
  const nothing = (): Promise<undefined> => Promise.resolve(undefined);
  const scheduling = createScheduling({
    ...{ config, naming, more: plugins, random: () => 0 },
    ...{ bind: nothing, bindVolumes: () => nothing },
  });
  const own = keyOf(object);
  await Promise.all(
    sourcesOf(scheduling.feed, { naming, now: () => now, devices: false }).map(async ({ collection, put }) => {
      const { items } = await listAll(client, collection);
      const isOwn = (item: ApiObject): boolean => collection.resource === "pods" && keyOf(item) === own;
      for (const item of items) if (!isOwn(item)) put(item);
    }),
  );
  const raw = trusted<RawPod>(object);
  const { nodeName: _, ...spec } = raw.spec ?? {};
  const pod = podInfoOf({ ...raw, spec });
  const profile = scheduling.profiles.get(pod.schedulerName);
  if (profile === undefined) return undefined;
  return {
    decision: scheduling.cycles.schedule(profile, pod, now),
    explanation: explain(profile, scheduling.cluster, pod, now),
  };
}
