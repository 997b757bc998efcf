/**
 * Workloads of the reference's performance suite, decisions alone, through the queue and the feed as a service drives them:
 * `node libs/scheduling/dist/reference.bench.js [nodes…] [--only=name] [--runs=n]`. Without numbers each has the size that its name says. Pods
 * that are placed are confirmed at once, victims go at once; what is said is processor time, of the middle one of the runs. Each run
 * makes the same decisions: the 99th percentile is of the cycles' medians over the runs, because a machine that is busy with others
 * stops one cycle of a hundred for longer than it takes.
 */
import { cpuUsage } from "node:process";
import { schedulerConfiguration } from "@orch/component-config/scheduler/scheduler.js";
import type { RawPod } from "./model/objects.js";
import type { Waiting } from "./queue/scheduling-queue.js";
import { createScheduling, type Scheduling } from "./scheduling.js";
import { naming, node, pod, zone } from "./testing/cluster-of.js";

interface Workload {
  readonly name: string;
  readonly nodes: number;
  /** Before what is measured: they are given nodes, or wait. */
  readonly initPods: (nodes: number) => number;
  readonly init: (i: number) => RawPod;
  readonly pods: number;
  readonly make: (i: number, nodes: number) => RawPod;
  /** Pods a second that the reference's own CI wants, on larger machines; undefined where that is not known. */
  readonly threshold?: number;
  /** Every so many pods a node, a pod and a service go and come again. */
  readonly churnEvery?: number;
}

const schedulerName = "default-scheduler";
const asks = { cpu: "100m", memory: "500Mi" };
const [zoneKey = ""] = Object.keys(zone(""));
const [hostKey = ""] = Object.keys(node("").metadata?.labels ?? {});
const plain = (prefix: string) => (i: number) => pod(`${prefix}${i}`, { asks });
const selecting = (app: string) => ({ labelSelector: { matchLabels: { app } } });
const labelled = (prefix: string, app: string, spec: RawPod["spec"]) => (i: number) =>
  pod(`${prefix}${i}`, { labels: { app }, asks, spec });
const spread = (whenUnsatisfiable: string): RawPod["spec"] => ({
  topologySpreadConstraints: [{ maxSkew: 5, topologyKey: zoneKey, whenUnsatisfiable, ...selecting("spread") }],
});
const apart: RawPod["spec"] = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: hostKey, ...selecting("apart") }],
    },
  },
};
const onNode = (name: string): RawPod["spec"] => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }],
      },
    },
  },
});
const thousand = (): number => 1000;
const basic = { nodes: 5000, initPods: thousand, init: plain("init"), pods: 10_000, make: plain("p") };

const workloads: readonly Workload[] = [
  { ...basic, name: "SchedulingBasic 5000Nodes_10000Pods", threshold: 680 },
  { ...basic, name: "SchedulingBasic 5000Nodes_50000Pods", pods: 50_000, threshold: 810 },
  {
    ...{ ...basic, name: "Unschedulable 5kNodes/20kInit/10kPods", threshold: 600 },
    initPods: () => 20_000,
    init: (i) => pod(`large${i}`, { asks: { cpu: "100" } }),
  },
  { ...basic, name: "SchedulingWithMixedChurn 5000Nodes_10000Pods", threshold: 710, churnEvery: 100 },
  {
    ...{ ...basic, name: "Preemption 5000Nodes_5000Pods", threshold: 570 },
    initPods: (nodes) => 4 * nodes,
    init: (i) => pod(`low${i}`, { asks: { cpu: "900m", memory: "500Mi" }, spec: { priority: 1 } }),
    pods: 5000,
    make: (i) => pod(`p${i}`, { asks: { cpu: "3" }, spec: { priority: 10 } }),
  },
  {
    ...{ ...basic, name: "TopologySpreading 5000Nodes_5000Pods" },
    pods: 5000,
    make: labelled("p", "spread", spread("DoNotSchedule")),
  },
  {
    ...{ ...basic, name: "PreferredTopologySpreading 5000Nodes_5000Pods" },
    pods: 5000,
    make: labelled("p", "spread", spread("ScheduleAnyway")),
  },
  {
    ...{ ...basic, name: "SchedulingPodAntiAffinity 5000Nodes_2000Pods" },
    init: labelled("init", "apart", apart),
    initPods: (nodes) => nodes / 10,
    pods: 2000,
    make: labelled("p", "apart", apart),
  },
  {
    ...{ ...basic, name: "SchedulingDaemonset 15000Nodes", nodes: 15_000, threshold: 1100 },
    initPods: () => 0,
    pods: 15_000,
    make: (i, nodes) => pod(`p${i}`, { asks, spec: onNode(`n${i % nodes}`) }),
  },
  {
    ...{ ...basic, name: "SchedulingWhileGated 1Node_10000GatedPods", nodes: 1, threshold: 910 },
    initPods: () => 10_000,
    init: (i) => pod(`gated${i}`, { asks, spec: { schedulingGates: [{ name: "example.com/gate" }] } }),
    make: (i) => pod(`p${i}`, { asks: { cpu: "1m", memory: "1Mi" } }),
  },
];

interface Run {
  readonly scheduling: Scheduling;
  now: number;
  readonly raw: Map<string, RawPod>;
  placed: number;
  nominated: number;
  readonly cycles: number[];
}

/** Tries a pod, as the service does, and carries out at once what comes of it. */
function attempt(run: Run, waiting: Waiting): void {
  const { scheduling, raw } = run;
  const { queue, cluster, cycles, profiles, feed } = scheduling;
  const { pod: info, key } = waiting;
  const [profile] = profiles.values();
  if (profile === undefined) return;
  const began = performance.now();
  const decision = cycles.schedule(profile, info, run.now);
  run.cycles.push(performance.now() - began);
  if (decision.outcome === "placed") {
    cluster.assume(info, decision.node);
    cluster.nominations.clear(key);
    queue.done(key);
    const own = raw.get(key);
    if (own !== undefined) feed.pod({ ...own, spec: { ...own.spec, nodeName: decision.node } }, run.now);
    run.placed += 1;
    return;
  }
  const nomination = decision.outcome === "refused" ? decision.nomination : undefined;
  if (nomination !== undefined) cluster.nominations.set(info, nomination.node);
  const refused =
    decision.outcome === "refused" ? decision : { plugins: new Set<string>(), pending: new Set<string>() };
  queue.requeue(waiting, refused, run.now);
  queue.done(key);
  if (nomination === undefined) return;
  run.nominated += 1;
  const own = raw.get(key);
  if (own !== undefined) feed.pod({ ...own, status: { nominatedNodeName: nomination.node } }, run.now);
  for (const victim of nomination.victims) feed.podGone(victim.key, run.now);
}

/** Until nobody can be tried any more; backoffs end at once. */
function drain(run: Run, beside: (tried: number) => void = () => {}): void {
  const { queue } = run.scheduling;
  for (let tried = 0; ; tried++) {
    const waiting = queue.pop(run.now);
    if (waiting === undefined) {
      const next = queue.nextFlush();
      if (next === undefined) return;
      run.now = Math.max(run.now, next);
      queue.flush(run.now);
      continue;
    }
    beside(tried);
    attempt(run, waiting);
  }
}

function feedPods(run: Run, count: number, make: (i: number) => RawPod): void {
  for (let i = 0; i < count; i++) {
    const made = make(i);
    const each = { ...made, spec: { ...made.spec, schedulerName } };
    run.raw.set(`${each.metadata?.namespace ?? "default"}/${each.metadata?.name ?? ""}`, each);
    run.scheduling.feed.pod(each, run.now);
  }
}

function churn({ scheduling, now }: Run, turn: number, nodes: number): void {
  const { feed } = scheduling;
  const name = `n${turn % nodes}`;
  feed.nodeGone(name, now);
  feed.node(node(name, { labels: zone(`z${turn % 3}`) }), now);
  feed.pod(pod("churned", { asks: { cpu: "100" }, spec: { schedulerName, priority: 10 } }), now);
  feed.podGone("default/churned", now);
  feed.object("Service", "default/churned", { spec: { selector: { app: "churned" } } }, now);
  feed.object("Service", "default/churned", undefined, now);
}

/** The same numbers in each run. */
function seeded(): () => number {
  let seed = 7;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Outcome {
  readonly perSecond: number;
  readonly cycles: readonly number[];
  readonly placed: number;
  readonly nominated: number;
}

function runOf(workload: Workload, nodes: number): Outcome {
  const nothing = async (): Promise<undefined> => undefined;
  const scheduling = createScheduling({
    ...{ config: schedulerConfiguration(naming).defaults(), naming, random: seeded() },
    ...{ bind: nothing, bindVolumes: () => nothing },
  });
  const run: Run = { scheduling, now: 0, raw: new Map(), placed: 0, nominated: 0, cycles: [] };
  // One node takes them all.
  const room = nodes === 1 ? { has: { cpu: "1000", memory: "1000Gi", pods: "50000" } } : {};
  for (let i = 0; i < nodes; i++) scheduling.feed.node(node(`n${i}`, { labels: zone(`z${i % 3}`), ...room }), 0);
  feedPods(run, workload.initPods(nodes), workload.init);
  drain(run);
  const pods = Math.min(workload.pods, nodes === 1 ? workload.pods : nodes * 20);
  feedPods(run, pods, (i) => workload.make(i, nodes));
  run.placed = 0;
  run.nominated = 0;
  run.cycles.length = 0;
  const every = workload.churnEvery;
  const before = cpuUsage();
  drain(run, (tried) => {
    if (every !== undefined && tried % every === 0) churn(run, tried / every, nodes);
  });
  const { user, system } = cpuUsage(before);
  const seconds = (user + system) / 1e6;
  return { perSecond: run.placed / seconds, cycles: run.cycles, placed: run.placed, nominated: run.nominated };
}

function measure(workload: Workload, nodes: number): void {
  const outcomes = Array.from({ length: runs }, () => runOf(workload, nodes));
  const [{ cycles, placed, nominated } = { cycles: [], placed: 0, nominated: 0 }] = outcomes;
  const medians = cycles.map((_, i) => middle(outcomes.map((outcome) => outcome.cycles[i] ?? 0)));
  const p99 = medians.sort((a, b) => a - b)[Math.floor(medians.length * 0.99)] ?? 0;
  const perSecond = middle(outcomes.map((outcome) => outcome.perSecond));
  const wanted = workload.threshold === undefined ? "" : `  the reference wants ${workload.threshold}`;
  process.stdout.write(
    `${String(nodes).padStart(6)} nodes  ${workload.name.padEnd(48)} ${String(Math.round(perSecond)).padStart(7)} pods/s  p99 ${p99.toFixed(2)} ms  placed ${placed}, nominated ${nominated}${wanted}\n`,
  );
}

const argument = (name: string): string =>
  process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
const runs = Math.max(1, Number(argument("runs")));
const only = argument("only");
const counts = process.argv
  .slice(2)
  .map(Number)
  .filter((count) => count > 0);
for (const workload of workloads.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()))) {
  for (const nodes of counts.length > 0 ? counts : [workload.nodes]) measure(workload, nodes);
}
