import type { Naming } from "@orch/naming/naming.js";
import {
  bool,
  bytes,
  duration,
  given,
  inside,
  int32,
  int64,
  keyedList,
  kind,
  list,
  maybe,
  raw,
  struct,
  text,
  type ValueOf,
} from "../shape.js";
import { clientConnection, debugging, leaderElection } from "../shared/shared.js";

const plugin = struct("Plugin", { name: text(), weight: maybe(int32()) });
const pluginSet = struct("PluginSet", { enabled: list(plugin), disabled: keyedList(plugin, ["name"]) });
const point = inside(pluginSet);
/** Where a plugin may act; `multiPoint` is every point that it implements. */
export const extensionPoints = [
  "preEnqueue",
  "queueSort",
  "preFilter",
  "filter",
  "postFilter",
  "preScore",
  "score",
  "reserve",
  "permit",
  "preBind",
  "bind",
  "postBind",
  "multiPoint",
] as const;
export type ExtensionPoint = (typeof extensionPoints)[number];

const pluginSets = struct("Plugins", {
  preEnqueue: point,
  queueSort: point,
  preFilter: point,
  filter: point,
  postFilter: point,
  preScore: point,
  score: point,
  reserve: point,
  permit: point,
  preBind: point,
  bind: point,
  postBind: point,
  multiPoint: point,
});

const pluginConfig = struct("PluginConfig", { name: text(), args: raw() });

const profile = struct("KubeSchedulerProfile", {
  schedulerName: maybe(text()),
  percentageOfNodesToScore: maybe(int32()),
  plugins: inside(pluginSets),
  pluginConfig: list(pluginConfig),
});

const extender = struct("Extender", {
  urlPrefix: text(),
  filterVerb: text(),
  preemptVerb: text(),
  prioritizeVerb: text(),
  weight: int64(),
  bindVerb: text(),
  enableHTTPS: bool(),
  tlsConfig: maybe(
    inside(
      struct("ExtenderTLSConfig", {
        insecure: bool(),
        serverName: text(),
        certFile: text(),
        keyFile: text(),
        caFile: text(),
        certData: bytes(),
        keyData: bytes(),
        caData: bytes(),
      }),
    ),
  ),
  httpTimeout: duration("5s"),
  nodeCacheCapable: bool(),
  managedResources: list(struct("ExtenderManagedResource", { name: text(), ignoredByScheduler: bool() })),
  ignorable: bool(),
});

export const schedulerShape = (naming: Naming) =>
  kind("OrchSchedulerConfiguration", {
    parallelism: given(int32(16)),
    leaderElection: inside(leaderElection(naming, naming.systemName("scheduler"))),
    clientConnection: inside(clientConnection(naming, 50, 100)),
    ...debugging,
    percentageOfNodesToScore: given(int32()),
    podInitialBackoffSeconds: given(int64(1)),
    podMaxBackoffSeconds: given(int64(10)),
    profiles: list(profile, [{}]),
    extenders: list(extender),
    delayCacheUntilActive: bool(),
  });

export type SchedulerConfiguration = ValueOf<ReturnType<typeof schedulerShape>>;
export type SchedulerProfile = SchedulerConfiguration["profiles"][number];
export type PluginSet = SchedulerProfile["plugins"]["multiPoint"];
export type Plugin = PluginSet["enabled"][number];
export type Extender = SchedulerConfiguration["extenders"][number];
