import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { countName, evaluatorOf, isCounted } from "./evaluators.js";
import { resourceOfName } from "./resource-of-name.js";
import type { ScopeRequirement } from "./types.js";

const naming = createNaming("kubernetes");
const now = Date.parse("2025-01-01T00:01:00Z");
const core = (plural: string) => evaluatorOf({ group: "", plural }, naming);
const pods = core("pods");
const container = (requests: object, limits: object = {}, name = "c") => ({ name, resources: { requests, limits } });
const pod = (spec: object, more: object = {}, metadata: object = {}) => ({ metadata, spec, ...more });
const ended = { "count/pods": "1" };
const one = { ...ended, pods: "1" };

const usages: readonly (readonly [what: string, pod: ReturnType<typeof pod>, used: object])[] = [
  ["that asks for nothing", pod({ containers: [{ name: "c" }] }), one],
  [
    "of requests and limits",
    pod({ containers: [container({ cpu: "1", memory: "1Gi" }, { cpu: "2" }), container({ cpu: "500m" })] }),
    { ...one, cpu: "1500m", "requests.cpu": "1500m", memory: "1Gi", "requests.memory": "1Gi", "limits.cpu": "2" },
  ],
  [
    "with a large init container",
    pod({ containers: [container({ cpu: "1" })], initContainers: [container({ cpu: "3" })] }),
    { ...one, cpu: "3", "requests.cpu": "3" },
  ],
  [
    "with overhead",
    pod({ containers: [container({ cpu: "1" }, { cpu: "2" })], overhead: { cpu: "250m" } }),
    { ...one, cpu: "1250m", "requests.cpu": "1250m", "limits.cpu": "2250m" },
  ],
  [
    "of huge pages and devices",
    pod({ containers: [container({ "hugepages-2Mi": "4Mi", "example.com/gpu": "2", storage: "1" })] }),
    { ...one, "hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "4Mi", "requests.example.com/gpu": "2" },
  ],
  ["that has succeeded", pod({ containers: [container({ cpu: "1" })] }, { status: { phase: "Succeeded" } }), ended],
  ["that has failed", pod({ containers: [container({ cpu: "1" })] }, { status: { phase: "Failed" } }), ended],
  [
    "that should be gone",
    pod({ containers: [] }, {}, { deletionTimestamp: "2025-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 }),
    ended,
  ],
  [
    "that goes",
    pod({ containers: [] }, {}, { deletionTimestamp: "2025-01-01T00:00:00Z", deletionGracePeriodSeconds: 90 }),
    one,
  ],
];
for (const [what, given, used] of usages) {
  test(`usage of a pod ${what}`, () => assert.deepEqual(pods.usage(given, now), used));
}

test("a pod uses its own resources of a quota", () => {
  const names = ["pods", "count/pods", "cpu", "limits.memory", "requests.example.com/gpu", "hugepages-2Mi"];
  assert.deepEqual(
    pods.matching([...names, "services", "count/secrets", "example.com/gpu", "requests.storage"]),
    names,
  );
});

const scope = (scopeName: string, operator = "Exists", values: string[] = []): ScopeRequirement => ({
  ...{ scopeName, operator, values },
});
const term = (given: object) => ({ topologyKey: "z", ...given });
const scopes: readonly (readonly [
  spec: object,
  within: readonly ScopeRequirement[],
  outside: readonly ScopeRequirement[],
])[] = [
  [{ activeDeadlineSeconds: 0 }, [scope("Terminating")], [scope("NotTerminating")]],
  [{}, [scope("NotTerminating"), scope("BestEffort")], [scope("Terminating"), scope("NotBestEffort")]],
  [{ containers: [container({ cpu: "1" })] }, [scope("NotBestEffort")], [scope("BestEffort")]],
  [
    { priorityClassName: "high" },
    [scope("PriorityClass"), scope("PriorityClass", "In", ["a", "high"]), scope("PriorityClass", "NotIn", ["a"])],
    [scope("PriorityClass", "DoesNotExist"), scope("PriorityClass", "In", ["a"])],
  ],
  [
    {},
    [scope("PriorityClass", "DoesNotExist"), scope("PriorityClass", "NotIn", ["a"])],
    [scope("PriorityClass"), scope("PriorityClass", "In", [""])],
  ],
  [
    {
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({ namespaces: ["a"] })] },
      },
    },
    [scope("CrossNamespacePodAffinity")],
    [],
  ],
  [
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: term({ namespaceSelector: {} }) },
          ],
        },
      },
    },
    [scope("CrossNamespacePodAffinity")],
    [scope("Nope")],
  ],
  [
    { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({})] } } },
    [],
    [scope("CrossNamespacePodAffinity")],
  ],
];
for (const [spec, within, outside] of scopes) {
  test(`scopes of a pod ${JSON.stringify(spec)}`, () => {
    for (const each of within) assert.equal(pods.isIn(each, pod(spec)), true, JSON.stringify(each));
    for (const each of outside) assert.equal(pods.isIn(each, pod(spec)), false, JSON.stringify(each));
  });
}

test("where cpu or memory is limited every container says how much it needs, however it is named", () => {
  const given = pod({ containers: [container({ cpu: "1" }, {}, "b"), container({}, {}, "a")], initContainers: [] });
  assert.equal(pods.missing(["pods", "ephemeral-storage"], given), undefined);
  assert.equal(pods.missing(["requests.cpu", "memory"], given), "must specify memory for: a,b; requests.cpu for: a");
});

const service = (spec: object) => core("services").usage({ metadata: {}, spec }, now);
const ofService = (nodePorts: string, balancers: string) => ({
  ...{ "count/services": "1", services: "1" },
  ...{ "services.nodeports": nodePorts, "services.loadbalancers": balancers },
});

test("a service uses node ports and balancers by its type", () => {
  const ports = [{ port: 1, nodePort: 30_000 }, { port: 2 }];
  assert.deepEqual(service({ type: "ClusterIP", ports }), ofService("0", "0"));
  assert.deepEqual(service({ type: "NodePort", ports }), ofService("2", "0"));
  assert.deepEqual(service({ type: "LoadBalancer", ports }), ofService("2", "1"));
  const allocateLoadBalancerNodePorts = false;
  assert.deepEqual(service({ type: "LoadBalancer", ports, allocateLoadBalancerNodePorts }), ofService("1", "1"));
});

test("a claim is measured by itself and by its class; what it was given counts where that is more", () => {
  const claims = core("persistentvolumeclaims");
  const counted = { "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" };
  const resources = { requests: { storage: "1Gi" } };
  assert.deepEqual(claims.usage({ metadata: {}, spec: { resources } }, now), { ...counted, "requests.storage": "1Gi" });
  const status = { allocatedResources: { storage: "2Gi" } };
  const ofClass = {
    ...{ ...counted, "requests.storage": "2Gi" },
    "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    "fast.storageclass.storage.k8s.io/requests.storage": "2Gi",
  };
  const spec = { resources, storageClassName: "fast" };
  assert.deepEqual(claims.usage({ metadata: {}, spec, status }, now), ofClass);
  assert.deepEqual(claims.matching([...Object.keys(ofClass), "pods", "other"]), Object.keys(ofClass));
});

test("everything else is counted, some under two names; events are not", () => {
  assert.deepEqual(core("configmaps").usage({ metadata: {} }, now), { "count/configmaps": "1", configmaps: "1" });
  const custom = { group: "stable.example.com", plural: "widgets" };
  assert.equal(countName(custom), "count/widgets.stable.example.com");
  assert.deepEqual(evaluatorOf(custom, naming).usage({ metadata: {} }, now), { [countName(custom)]: "1" });
  assert.deepEqual(core("endpoints").matching(["endpoints", "count/endpoints"]), ["count/endpoints"]);
  assert.equal(isCounted({ group: "", plural: "events" }, naming), false);
  assert.equal(isCounted({ group: "events.k8s.io", plural: "events" }, naming), false);
  assert.equal(isCounted({ group: "example.com", plural: "events" }, naming), true);
});

test("claims of devices are counted, and their devices by class", () => {
  const group = "resource.k8s.io";
  const claims = evaluatorOf({ group, plural: "resourceclaims" }, naming);
  const devices = (name: string): string => `${name}.deviceclass.${group}/devices`;
  const requests = [
    { name: "a", deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 },
    { name: "b", deviceClassName: "gpu", allocationMode: "ExactCount", count: 1n },
    { name: "c", deviceClassName: "nic", allocationMode: "All" },
  ];
  const claim = { metadata: {}, spec: { devices: { requests } } };
  const count = `count/resourceclaims.${group}`;
  assert.deepEqual(claims.usage(claim, now), { [count]: "1", [devices("gpu")]: "3", [devices("nic")]: "32" });
  assert.deepEqual(claims.matching([count, devices("gpu"), "pods"]), [count, devices("gpu")]);
  assert.deepEqual(resourceOfName(devices("gpu"), naming), { group, plural: "resourceclaims" });
});
