import { readConfigurations } from "@orch/component-config/read-configurations.js";
import { schedulerConfiguration } from "@orch/component-config/scheduler/scheduler.js";
import type { SchedulerProfile } from "@orch/component-config/scheduler/scheduler-configuration.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Cluster, createCluster } from "../cluster/cluster.js";
import { explain } from "../cycle/explain.js";
import { type Cycles, createCycles, type Decision } from "../cycle/schedule.js";
import { type Profile, type Registry, resolveProfile } from "../framework/profile.js";
import type { RawNode, RawPod } from "../model/objects.js";
import { type PodInfo, podInfoOf } from "../model/pod-info.js";
import { defaultRegistry, type RegistryOptions } from "../plugins/registry.js";

export const naming = createNaming("orch");
const kind = schedulerConfiguration(naming);
const kindWithDevices = schedulerConfiguration(naming, { dynamicResources: true });

/** Profiles of a configuration file that says this beside its version and kind. @throws Error its problems */
export function profilesOf(given: object = {}, hasDevices = false): readonly SchedulerProfile[] {
  const own = hasDevices ? kindWithDevices : kind;
  const apiVersion = `${naming.configurationGroup("orchscheduler.config")}/v1`;
  const text = JSON.stringify({ apiVersion, kind: "OrchSchedulerConfiguration", ...given });
  const file = readConfigurations(text, [own]);
  if (!file.ok) throw new Error(file.problems.join("; "));
  const [document] = file.documents;
  if (document === undefined) throw new Error("no document");
  const config = own.from(document);
  if (config === undefined) throw new Error("another kind");
  return config.profiles;
}

export interface Parts {
  readonly cluster?: Cluster;
  /** Of a profile of the configuration file. */
  readonly profile?: object;
  readonly random?: () => number;
  readonly more?: Registry;
  readonly percentage?: number;
  readonly bindVolumes?: RegistryOptions["bindVolumes"];
  readonly devices?: NonNullable<RegistryOptions["devices"]>;
}

export interface Scene {
  readonly cluster: Cluster;
  readonly profile: Profile;
  readonly cycles: Cycles;
  readonly now: number;
  schedule(pod: RawPod): Decision;
}

export const noBind = async (): Promise<undefined> => undefined;

/** A cluster and a profile of the default plugins, in memory. */
export function sceneOf({
  profile = {},
  random = () => 0.5,
  more,
  percentage = 0,
  bindVolumes = () => noBind,
  ...parts
}: Parts = {}): Scene {
  const cluster = parts.cluster ?? createCluster({ naming });
  const registry = new Map([
    ...defaultRegistry({
      naming,
      cluster,
      random,
      bind: noBind,
      bindVolumes,
      ...(parts.devices === undefined ? {} : { devices: parts.devices }),
    }),
    ...(more ?? []),
  ]);
  const [first] = profilesOf({ profiles: [profile] }, parts.devices !== undefined);
  if (first === undefined) throw new Error("no profile");
  const resolved = resolveProfile(first, registry);
  const cycles = createCycles({ cluster, random, percentageOfNodesToScore: percentage });
  const now = Date.UTC(2026, 0, 1);
  return {
    cluster,
    profile: resolved,
    cycles,
    now,
    schedule: (pod) => cycles.schedule(resolved, podInfoOf(pod), now),
  };
}

export interface NodeWords {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<NonNullable<RawNode["spec"]>["taints"]>;
  readonly unschedulable?: boolean;
  readonly images?: NonNullable<NonNullable<RawNode["status"]>["images"]>;
  readonly has?: Readonly<Record<string, string>>;
}

/** A node of four processors, 32 GiB and 110 pods, unless it says otherwise. */
export const node = (
  name: string,
  { labels = {}, taints, unschedulable, images, has = {} }: NodeWords = {},
): RawNode => ({
  metadata: { name, labels: { [naming.key("hostname")]: name, ...labels } },
  spec: { ...(taints === undefined ? {} : { taints }), ...(unschedulable === true ? { unschedulable } : {}) },
  status: {
    allocatable: { cpu: "4", memory: "32Gi", pods: "110", ...has },
    ...(images === undefined ? {} : { images }),
  },
});

export const zone = (name: string): Readonly<Record<string, string>> => ({ [`topology.${naming.key("zone")}`]: name });

export interface PodWords {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly asks?: Readonly<Record<string, string>>;
  readonly images?: readonly string[];
  readonly hostPort?: number;
  readonly spec?: RawPod["spec"];
  readonly status?: RawPod["status"];
  readonly meta?: RawPod["metadata"];
}

/** A pod of one container. */
export const pod = (name: string, words: PodWords = {}): RawPod => ({
  metadata: {
    name,
    namespace: words.namespace ?? "default",
    uid: `uid-${name}`,
    labels: words.labels ?? {},
    ...words.meta,
  },
  spec: {
    containers: (words.images ?? ["image"]).map((image) => ({
      name: "c",
      image,
      resources: { requests: words.asks ?? {} },
      ...(words.hostPort === undefined ? {} : { ports: [{ hostPort: words.hostPort }] }),
    })),
    ...words.spec,
  },
  ...(words.status === undefined ? {} : { status: words.status }),
});

/** A pod that stands on a node. */
export const on = (nodeName: string, raw: RawPod): PodInfo => podInfoOf({ ...raw, spec: { ...raw.spec, nodeName } });

/** A plugin's scores for a pod, by node, before and after they are brought to 0 … 100. */
export function scoresOf(
  scene: Scene,
  raw: RawPod,
  plugin: string,
): Readonly<Record<string, readonly [number, number]>> {
  const { nodes } = explain(scene.profile, scene.cluster, podInfoOf(raw), scene.now);
  return Object.fromEntries(
    nodes.flatMap(({ name, scores }) => {
      const own = scores.find((score) => score.plugin === plugin);
      return own === undefined ? [] : [[name, [own.raw, own.normalized] as const]];
    }),
  );
}
