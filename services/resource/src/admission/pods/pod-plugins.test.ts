import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import { admitted, podOf, podsOf } from "../../testing/admitted.js";
import { usualConfigurations } from "../configurations.js";
import { parsePodNodeSelectorConfiguration } from "./node-selector-configuration.js";
import { conflicts, isWithin, parseNodeSelector } from "./node-selector-text.js";
import { parsePodTolerationConfiguration, tolerationsOf } from "./toleration-configuration.js";

const namespaces = { resource: "namespaces", namespace: "" } as const;
const at = { ...podsOf, namespace: "ns" } as const;
const specOf = (pod: AnyObject): PodSpec => Object(pod["spec"]);
const naming = createNaming("kubernetes");

test("AlwaysPullImages: every image is pulled, of new pods and of those that get another one", async (t) => {
  const { make } = await admitted(t, { enabled: ["AlwaysPullImages"] });
  const containers = [{ name: "c", image: "i", imagePullPolicy: "Never" }];
  const initContainers = [{ name: "d", image: "i", imagePullPolicy: "IfNotPresent" }];
  const pod = specOf(await make(podsOf, podOf("a", { containers, initContainers })));
  const policies = [...(pod.containers ?? []), ...(pod.initContainers ?? [])].map((c) => c.imagePullPolicy);
  assert.deepEqual(policies, ["Always", "Always"]);
});

test("LimitPodHardAntiAffinityTopology: pods keep others off their node alone", async (t) => {
  const { says } = await admitted(t, { enabled: ["LimitPodHardAntiAffinityTopology"] });
  const pod = (name: string, topologyKey: string) => {
    const requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey, labelSelector: {} }];
    return podOf(name, { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } });
  };
  assert.equal(await says(podsOf, pod("a", "kubernetes.io/hostname")), "ok");
  const why =
    "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed";
  assert.equal(await says(podsOf, pod("b", "zone")), `403 pods "b" is forbidden: ${why}`);
});

test("ExtendedResourceToleration: who asks for devices tolerates their nodes, each once, sorted", async (t) => {
  const { make } = await admitted(t, {
    enabled: ["ExtendedResourceToleration"],
    disabled: ["DefaultTolerationSeconds"],
  });
  const asking = (...names: string[]) => ({ limits: Object.fromEntries(names.map((name) => [name, "1"])) });
  const containers = [{ name: "c", image: "i", resources: asking("example.com/z", "example.com/a", "cpu") }];
  const initContainers = [{ name: "d", image: "i", resources: asking("example.com/a") }];
  const own = { key: "example.com/z", operator: "Exists", effect: "NoSchedule" };
  const pod = specOf(await make(podsOf, podOf("a", { containers, initContainers, tolerations: [own] })));
  assert.deepEqual(pod.tolerations, [own, { ...own, key: "example.com/a" }]);
});

test("PodNodeSelector: pods run where their namespace says, or the cluster", async (t) => {
  const configuration = { clusterDefault: "env=usual", allowed: { ns: "env=test,disk=ssd" } };
  const configurations = { ...usualConfigurations, podNodeSelector: configuration };
  const { make, says } = await admitted(t, { enabled: ["PodNodeSelector"], configurations });
  const annotations = { "scheduler.alpha.kubernetes.io/node-selector": "env=test" };
  await make(namespaces, { metadata: { name: "ns", annotations } });
  await make(namespaces, { metadata: { name: "wrong", annotations: { ...annotations, [key]: "a=b=c" } } });
  assert.deepEqual(specOf(await make(podsOf, podOf("a"))).nodeSelector, { env: "usual" });
  const chosen = podOf("b", { nodeSelector: { disk: "ssd" } });
  assert.deepEqual(specOf(await make(at, chosen)).nodeSelector, { env: "test", disk: "ssd" });
  const conflict = "pod node label selector conflicts with its namespace node label selector";
  assert.equal(await says(at, podOf("c", { nodeSelector: { env: "x" } })), `403 pods "c" is forbidden: ${conflict}`);
  const outside = "pod node label selector labels conflict with its namespace whitelist";
  assert.equal(await says(at, podOf("d", { nodeSelector: { disk: "x" } })), `403 pods "d" is forbidden: ${outside}`);
  const unread = "500 Internal error occurred: invalid selector: [a=b=c]";
  assert.equal(await says({ ...at, namespace: "wrong" }, podOf("e")), unread);
});

const key = "scheduler.alpha.kubernetes.io/node-selector";

test("a node selector is a list of labels", () => {
  assert.deepEqual(parseNodeSelector("a=b, c=d"), { a: "b", c: "d" });
  assert.deepEqual(parseNodeSelector(""), {});
  assert.equal(parseNodeSelector("a"), "invalid selector: [a]");
  assert.equal(parseNodeSelector("a=b c"), "invalid label: a=b c");
  assert.ok(conflicts({ a: "b" }, { a: "c" }) && !conflicts({ a: "b" }, { c: "d" }));
  assert.ok(isWithin({ a: "b" }, { a: "b", c: "d" }) && !isWithin({ a: "b" }, {}));
});

test("PodTolerationRestriction: a namespace gives its pods tolerations, and forbids others", async (t) => {
  const toleration = { key: "k", operator: "Exists" };
  const configuration = { default: [{ key: "usual", operator: "Exists" }], allowed: [] };
  const configurations = { ...usualConfigurations, podTolerations: configuration };
  const disabled = ["DefaultTolerationSeconds"];
  const { make, says } = await admitted(t, { enabled: ["PodTolerationRestriction"], disabled, configurations });
  const annotations = {
    "scheduler.alpha.kubernetes.io/defaultTolerations": JSON.stringify([toleration]),
    "scheduler.alpha.kubernetes.io/tolerationsWhitelist": JSON.stringify([
      toleration,
      { key: "l", operator: "Exists" },
    ]),
  };
  await make(namespaces, { metadata: { name: "ns", annotations } });
  await make(namespaces, {
    metadata: { name: "none", annotations: { "scheduler.alpha.kubernetes.io/defaultTolerations": "" } },
  });
  assert.deepEqual(specOf(await make(podsOf, podOf("a"))).tolerations, [{ key: "usual", operator: "Exists" }]);
  assert.deepEqual(specOf(await make(at, podOf("b"))).tolerations, [toleration]);
  assert.equal(specOf(await make({ ...at, namespace: "none" }, podOf("b"))).tolerations, undefined);
  const asking = [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }];
  const pressure = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };
  const burstable = specOf(await make({ ...at, namespace: "none" }, podOf("c", { containers: asking })));
  assert.deepEqual(burstable.tolerations, [pressure]);
  const why =
    "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
  const other = podOf("d", { tolerations: [{ key: "other", operator: "Exists" }] });
  assert.equal(await says(at, other), `403 pods "d" is forbidden: ${why}`);
  const narrow = [{ key: "l", operator: "Equal", value: "v", effect: "NoExecute" }];
  assert.equal(await says(at, podOf("e", { tolerations: narrow })), "ok");
});

test("a configuration of tolerations is read, or every problem of it told", () => {
  const apiVersion = "podtolerationrestriction.admission.k8s.io/v1alpha1";
  const file = { apiVersion, kind: "Configuration", default: [{ key: "a", operator: "Exists", tolerationSeconds: 5 }] };
  assert.deepEqual(parsePodTolerationConfiguration(file, naming), {
    ok: true,
    value: { default: file.default, allowed: [] },
  });
  assert.deepEqual(
    parsePodTolerationConfiguration({ ...file, whitelist: [{ key: 1, tolerationSeconds: "x" }] }, naming),
    {
      ok: false,
      problems: ["whitelist[0].key: must be a string", "whitelist[0].tolerationSeconds: must be a whole number"],
    },
  );
  assert.equal(parsePodTolerationConfiguration({ ...file, kind: "Other" }, naming).ok, false);
  for (const wrong of [{}, [1], [{ key: 1 }], [{ tolerationSeconds: "1" }]]) {
    assert.equal(tolerationsOf(wrong), undefined, JSON.stringify(wrong));
  }
});

test("a configuration of node selectors is one map of texts", () => {
  const file = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "a=b", ns: "c=d" } };
  assert.deepEqual(parsePodNodeSelectorConfiguration(file), {
    ok: true,
    value: { clusterDefault: "a=b", allowed: { ns: "c=d" } },
  });
  assert.deepEqual(parsePodNodeSelectorConfiguration({ podNodeSelectorPluginConfig: { ns: 1 } }), {
    ok: false,
    problems: ["podNodeSelectorPluginConfig.ns: must be a string"],
  });
});
