/**
 * How many decisions a second one core makes, of pods that come one after the other and are assumed on their nodes:
 * `node libs/scheduling/dist/decide.bench.js [nodes…] [--only=name] [--plugins]`. The floor is a bare pass of the same run: for each pod the same
 * number of nodes compared by two numbers. What is said is processor time.
 */
import { cpuUsage } from "node:process";
import { enoughFeasible } from "./cycle/sample.js";
import type { NodeInfo } from "./model/node-info.js";
import type { RawPod } from "./model/objects.js";
import { podInfoOf } from "./model/pod-info.js";
import { node, pod, type Scene, sceneOf, zone } from "./testing/cluster-of.js";

interface Workload {
  readonly name: string;
  readonly pods: number;
  readonly make: (i: number) => RawPod;
  /** Pods that stand on nodes before. */
  readonly before?: (i: number) => RawPod;
  /** Beside each pod a node goes and comes again, and another gets a label. */
  readonly churns?: boolean;
}

const asks = { cpu: "100m", memory: "500Mi" };
const zoneKey = Object.keys(zone(""))[0] ?? "";
const hostKey = Object.keys(node("").metadata?.labels ?? {})[0] ?? "";
const labelled =
  (labels: Readonly<Record<string, string>>, spec: RawPod["spec"] = {}) =>
  (i: number) =>
    pod(`p${i}`, { labels, asks, spec });
const spread = (topologyKey: string, whenUnsatisfiable: string) => ({
  topologySpreadConstraints: [
    { maxSkew: 5, topologyKey, whenUnsatisfiable, labelSelector: { matchLabels: { app: "spread" } } },
  ],
});
const term = (app: string, topologyKey: string) => ({ topologyKey, labelSelector: { matchLabels: { app } } });

const requiredTerm = { requiredDuringSchedulingIgnoredDuringExecution: [term("anti", hostKey)] };
const preferredTerm = {
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term("spread", hostKey) }],
};

/** Keeps away by a thousand terms, none of which asks for one value of a label: each is compared with all templates. */
const manyTerms = (requirement: (i: number) => object): NonNullable<RawPod["spec"]> => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 1000 }, (_, i) => ({
        topologyKey: hostKey,
        labelSelector: { matchExpressions: [requirement(i)] },
      })),
    },
  },
});
const fromAll = manyTerms((i) => ({ key: `label-${i}`, operator: "DoesNotExist" }));
const fromItsOwn = manyTerms((i) => ({ key: "app", operator: "In", values: ["apart", `x${i}`] }));
const ofThousandApps = (i: number): RawPod => pod(`held${i}`, { labels: { app: `a${i % 1000}` }, asks });

const workloads: readonly Workload[] = [
  { name: "basic", pods: 3000, make: (i) => pod(`p${i}`, { asks }) },
  { name: "hundred apps", pods: 3000, make: (i) => pod(`p${i}`, { asks, labels: { app: `a${i % 100}` } }) },
  { name: "unschedulable", pods: 3000, make: (i) => pod(`p${i}`, { asks: { cpu: "100" } }) },
  {
    name: "spread over zones, strict",
    pods: 2000,
    make: labelled({ app: "spread" }, spread(zoneKey, "DoNotSchedule")),
  },
  {
    name: "spread over zones, loose",
    pods: 2000,
    make: labelled({ app: "spread" }, spread(zoneKey, "ScheduleAnyway")),
  },
  {
    name: "spread over hosts, loose",
    pods: 2000,
    make: labelled({ app: "spread" }, spread(hostKey, "ScheduleAnyway")),
  },
  {
    name: "required anti-affinity",
    pods: 900,
    make: labelled(
      { app: "anti" },
      { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("anti", hostKey)] } } },
    ),
  },
  {
    name: "required affinity",
    pods: 2000,
    make: labelled(
      { app: "near" },
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("near", zoneKey)] } } },
    ),
  },
  {
    name: "preferred affinity",
    pods: 2000,
    make: labelled(
      { app: "near" },
      {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term("near", hostKey) }],
          },
        },
      },
    ),
  },
  {
    name: "daemon set",
    pods: 3000,
    make: (i) =>
      pod(`p${i}`, {
        asks: { cpu: "1m", memory: "1Mi" },
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  { matchFields: [{ key: "metadata.name", operator: "In", values: [`n${i % 1000}`] }] },
                ],
              },
            },
          },
        },
      }),
  },
  {
    name: "a thousand terms, no node fits; others in turn",
    pods: 200,
    before: ofThousandApps,
    make: (i) => pod(`p${i}`, { labels: { app: "apart" }, asks, ...(i % 2 === 0 ? { spec: fromAll } : {}) }),
  },
  {
    name: "a thousand terms, apart from its own",
    pods: 200,
    before: ofThousandApps,
    make: labelled({ app: "apart" }, fromItsOwn),
  },
  {
    name: "pods of their own labels beside them",
    pods: 300,
    before: ofThousandApps,
    make: (i) =>
      i % 3 === 0
        ? pod(`p${i}`, { labels: { app: "apart" }, asks, spec: fromItsOwn })
        : pod(`p${i}`, { labels: { app: "apart", index: String(i) }, asks }),
  },
  { name: "churn: a node and a label", pods: 1000, make: (i) => pod(`p${i}`, { asks }), churns: true },
  {
    name: "preemption",
    pods: 900,
    before: (i) => pod(`low${i}`, { asks: { cpu: "900m", memory: "500Mi" }, spec: { priority: 1 } }),
    make: (i) => pod(`p${i}`, { asks: { cpu: "3" }, spec: { priority: 10 } }),
  },
];

const seconds = (run: () => void): number => {
  const before = cpuUsage();
  run();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1e6;
};

function floor(nodes: number, pods: number): number {
  const rounds = 20;
  const list = Array.from({ length: nodes }, (_, i) => ({ cpu: 4000, memory: 32 * 1024, used: i % 7 }));
  const enough = enoughFeasible(nodes, 0);
  let best = 0;
  const spent = seconds(() => {
    for (let p = 0; p < pods * rounds; p++) {
      for (let i = 0; i < enough; i++) {
        const each = list[(p + i) % nodes];
        if (each !== undefined && each.cpu - each.used > best && each.memory > p % 5) best = each.cpu - each.used;
      }
    }
  });
  return best > 0 ? spent / rounds : Number.NaN;
}

function churn({ cluster }: Scene, i: number, count: number): void {
  const [gone, other] = [`n${i % count}`, `n${(i * 7) % count}`];
  cluster.removeNode(gone);
  cluster.setNode(node(gone, { labels: zone(`z${i % 3}`) }));
  cluster.setNode(node(other, { labels: { ...zone(`z${i % 3}`), turn: String(i) } }));
}

/** What each plugin costs for one node, prepared: of a pod that gives every one of them work. */
function perPlugin(count: number): void {
  const scene = sceneOf();
  for (let i = 0; i < count; i++) scene.cluster.setNode(node(`n${i}`, { labels: zone(`z${i % 3}`) }));
  const both = {
    ...spread(zoneKey, "DoNotSchedule"),
    affinity: { podAffinity: preferredTerm, podAntiAffinity: requiredTerm },
  };
  for (let i = 0; i < count; i++) {
    scene.cluster.assume(podInfoOf(pod(`held${i}`, { labels: { app: "spread" }, asks })), `n${i}`);
  }
  const busy = podInfoOf(
    pod("busy", {
      asks,
      hostPort: 80,
      labels: { app: "spread" },
      spec: { ...both, nodeSelector: { [zoneKey]: "z1" }, tolerations: [{ key: "k", operator: "Exists" }] },
    }),
  );
  const cycle = { pod: busy, cluster: scene.cluster, now: scene.now };
  const told = (name: string, what: string, run: (node: NodeInfo) => unknown): void => {
    const rounds = 50;
    const spent = seconds(() => {
      for (let r = 0; r < rounds; r++) for (const each of scene.cluster.nodes) run(each);
    });
    const nanos = Math.round((spent * 1e9) / (rounds * count));
    process.stdout.write(
      `${String(count).padStart(6)} nodes  ${name.padEnd(32)} ${what.padEnd(7)} ${nanos} ns a node\n`,
    );
  };
  for (const { name, preFilter, filter, preScore, score } of scene.profile.plugins.values()) {
    const prepared = preFilter?.(cycle);
    const run = filter === "prepared" ? prepared : filter?.(cycle);
    if (typeof run === "function") told(name, "filter", run);
    else if (run?.code === "Ready" && run.filter !== undefined) told(name, "filter", run.filter);
    const scores = score === "prepared" ? preScore?.(cycle, scene.cluster.nodes) : score?.(cycle);
    if (scores !== undefined && "score" in scores) told(name, "score", scores.score);
  }
}

function run(workload: Workload, count: number): void {
  const scene = sceneOf({ random: Math.random });
  for (let i = 0; i < count; i++) scene.cluster.setNode(node(`n${i}`, { labels: zone(`z${i % 3}`) }));
  const before = workload.before;
  if (before !== undefined) {
    for (let i = 0; i < count * 4; i++) scene.cluster.assume(podInfoOf(before(i)), `n${i % count}`);
  }
  const pods = Array.from({ length: workload.pods }, (_, i) => workload.make(i));
  const times: number[] = [];
  let [placed, nominated] = [0, 0];
  const spent = seconds(() => {
    for (const raw of pods) {
      const start = performance.now();
      if (workload.churns === true) churn(scene, times.length, count);
      const info = podInfoOf(raw);
      const decision = scene.cycles.schedule(scene.profile, info, scene.now);
      if (decision.outcome === "placed") {
        scene.cluster.assume(info, decision.node);
        placed += 1;
      } else if (decision.outcome === "refused" && decision.nomination !== undefined) {
        for (const victim of decision.nomination.victims) scene.cluster.removePod(victim.key);
        scene.cluster.assume(info, decision.nomination.node);
        nominated += 1;
      }
      times.push(performance.now() - start);
    }
  });
  const bare = floor(count, workload.pods);
  const p99 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  const rate = Math.round(workload.pods / spent);
  process.stdout.write(
    `${String(count).padStart(6)} nodes  ${workload.name.padEnd(28)} ${String(rate).padStart(7)} pods/s  ×${(spent / bare).toFixed(0).padStart(4)} of the floor  p99 ${p99.toFixed(2)} ms  placed ${placed}, nominated ${nominated}\n`,
  );
}

const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
const chosen = workloads.filter(({ name }) => only === undefined || name.includes(only));
const counts = process.argv
  .slice(2)
  .map(Number)
  .filter((count) => count > 0);
if (process.argv.includes("--plugins")) perPlugin(1000);
else for (const count of counts.length > 0 ? counts : [1000, 5000]) for (const workload of chosen) run(workload, count);
