import fc from "fast-check";
import type { RawNode, RawPod } from "../model/objects.js";
import { node, pod, zone } from "./cluster-of.js";

const [zoneKey = ""] = Object.keys(zone(""));
const [hostKey = ""] = Object.keys(node("").metadata?.labels ?? {});
const key = fc.constantFrom(zoneKey, hostKey);
const app = fc.constantFrom("a", "b");
const namespace = fc.constantFrom("x", "y");

const taint = fc.record({
  key: fc.constantFrom("k", "l"),
  value: fc.constantFrom("", "v"),
  effect: fc.constantFrom("NoSchedule", "NoExecute", "PreferNoSchedule"),
});

export const anyNode = (name: string): fc.Arbitrary<RawNode> =>
  fc
    .record({
      zone: fc.constantFrom("1", "2", "3", undefined),
      disk: fc.constantFrom("ssd", "hdd"),
      cpu: fc.integer({ min: 1, max: 6 }),
      pods: fc.constantFrom("2", "110"),
      taints: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(taint, { maxLength: 2 }) },
      ),
      unschedulable: fc.oneof(
        { weight: 5, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    })
    .map(({ zone: inZone, disk, cpu, pods, taints, unschedulable }) =>
      node(name, {
        labels: { disk, ...(inZone === undefined ? {} : zone(inZone)) },
        has: { cpu: String(cpu), pods },
        taints,
        unschedulable,
      }),
    );

const selector = app.map((value) => ({ matchLabels: { app: value } }));
const podTerm = fc
  .record({
    topologyKey: key,
    labelSelector: selector,
    namespaces: fc.option(fc.constant(["x"]), { nil: undefined }),
    namespaceSelector: fc.constantFrom(undefined, undefined, {}, { matchLabels: { team: "y" } }),
  })
  .map(({ namespaces, namespaceSelector, ...term }) => ({
    ...term,
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
  }));
const preferred = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), podAffinityTerm: podTerm }), {
  maxLength: 2,
});
const affinity = fc
  .record({ terms: fc.array(podTerm, { maxLength: 2 }), preferred })
  .map(({ terms, preferred: liked }) => ({
    requiredDuringSchedulingIgnoredDuringExecution: terms,
    preferredDuringSchedulingIgnoredDuringExecution: liked,
  }));
const spread = fc.record({
  maxSkew: fc.integer({ min: 1, max: 2 }),
  topologyKey: key,
  whenUnsatisfiable: fc.constantFrom("DoNotSchedule", "ScheduleAnyway"),
  labelSelector: selector,
  minDomains: fc.constantFrom(1, 1, 3),
  nodeAffinityPolicy: fc.constantFrom("Honor", "Ignore"),
  nodeTaintsPolicy: fc.constantFrom("Honor", "Ignore"),
  matchLabelKeys: fc.constantFrom([], ["turn"], ["absent"]),
});
const spreads = fc.uniqueArray(spread, {
  minLength: 1,
  maxLength: 2,
  selector: ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`,
});
const toleration = fc.record({
  key: fc.constantFrom("k", "l"),
  operator: fc.constantFrom("Exists", "Equal"),
  value: fc.constant("v"),
  effect: fc.constantFrom("", "NoSchedule"),
});
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

export const anyPod = (name: string): fc.Arbitrary<RawPod> =>
  fc
    .record({
      app,
      namespace,
      cpu: fc.constantFrom("0", "500m", "1", "2"),
      port: seldom(fc.constantFrom(80, 81)),
      priority: fc.integer({ min: 0, max: 3 }),
      nodeSelector: seldom(fc.constantFrom({ disk: "ssd" }, { disk: "hdd" })),
      near: seldom(affinity),
      far: seldom(affinity),
      spread: seldom(spreads),
      turn: fc.constantFrom("1", "2"),
      tolerations: seldom(fc.array(toleration, { maxLength: 2 })),
    })
    .map(({ app: label, near, far, tolerations, nodeSelector, spread: constraints, port, ...words }) =>
      pod(name, {
        namespace: words.namespace,
        labels: { app: label, turn: words.turn },
        asks: { cpu: words.cpu },
        ...(port === undefined ? {} : { hostPort: port }),
        spec: {
          priority: words.priority,
          ...(nodeSelector === undefined ? {} : { nodeSelector }),
          ...(tolerations === undefined ? {} : { tolerations }),
          ...(constraints === undefined ? {} : { topologySpreadConstraints: constraints }),
          affinity: {
            ...(near === undefined ? {} : { podAffinity: near }),
            ...(far === undefined ? {} : { podAntiAffinity: far }),
          },
        },
      }),
    );

export const nodeNames = ["n1", "n2", "n3", "n4", "n5", "n6"] as const;

export type Step =
  | { readonly do: "setNode"; readonly node: RawNode }
  | { readonly do: "removeNode"; readonly name: string }
  | { readonly do: "setPod"; readonly pod: RawPod; readonly on: string }
  | { readonly do: "removePod"; readonly name: string }
  | { readonly do: "label"; readonly namespace: string; readonly labels: Readonly<Record<string, string>> | undefined }
  /** The answers for it are asked for: counts that follow changes begin here. */
  | { readonly do: "ask"; readonly pod: RawPod };

const podNames = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"] as const;
const nodeName = fc.constantFrom(...nodeNames);
const podName = fc.constantFrom(...podNames);

export const anySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: nodeName.chain(anyNode).map((each): Step => ({ do: "setNode", node: each })) },
    { weight: 1, arbitrary: nodeName.map((name): Step => ({ do: "removeNode", name })) },
    {
      weight: 4,
      arbitrary: fc
        .record({ pod: podName.chain(anyPod), on: nodeName })
        .map((each): Step => ({ do: "setPod", ...each })),
    },
    { weight: 1, arbitrary: podName.map((name): Step => ({ do: "removePod", name })) },
    {
      weight: 1,
      arbitrary: fc
        .record({ namespace, labels: fc.constantFrom(undefined, {}, { team: "y" }) })
        .map((each): Step => ({ do: "label", ...each })),
    },
    { weight: 4, arbitrary: anyPod("new").map((each): Step => ({ do: "ask", pod: each })) },
  ),
  { minLength: 5, maxLength: 30 },
);
