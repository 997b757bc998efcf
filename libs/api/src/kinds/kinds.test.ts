import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { loadCatalog } from "../catalog.js";
import { valueAt } from "../object.js";
import { createKindKit, type Tree, testContext } from "../testing/kind-kit.js";
import { decodeObject, prepareForPart, selectableFields, setDefaults } from "../writes.js";

const catalog = loadCatalog(createNaming("kubernetes"));
const kit = createKindKit(catalog);
const { created, updated, createErrors, updateErrors } = kit;
const kindOf = kit.kind;
const container = { name: "c", image: "nginx:1" };
const podOf = (spec: Tree) => ({ spec: { containers: [container], ...spec } });
const serviceOf = (spec: Tree) => ({ spec: { ports: [{ port: 80 }], ...spec } });
const sliceOf = (tree: Tree) => ({ addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ...tree });
const many = (n: number, item: (i: number) => unknown) => Array.from({ length: n }, (_, i) => item(i));

const creates: readonly (readonly [string, string, Tree, readonly (string | RegExp)[]])[] = [
  ["ConfigMap", "good", { data: { a: "b" }, binaryData: { c: "YQ==" } }, []],
  [
    "ConfigMap",
    "with a key of wrong form",
    { data: { "a b": "" } },
    [/^data\[a b\]: Invalid value: "a b": a valid config key/],
  ],
  [
    "ConfigMap",
    "with a key in both maps",
    { data: { a: "" }, binaryData: { a: "" } },
    [
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
      'binaryData[a]: Invalid value: "a": duplicate of key present in data',
    ],
  ],
  [
    "ConfigMap",
    "too big",
    { data: { k: "x".repeat(1_048_577) } },
    ["[]: Too long: may not be more than 1048576 bytes"],
  ],
  [
    "ConfigMap",
    "named wrongly",
    { metadata: { name: "A_b" } },
    [/^metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain/],
  ],
  [
    "Secret",
    "of type tls",
    { type: "kubernetes.io/tls" },
    ["data[tls.crt]: Required value", "data[tls.key]: Required value"],
  ],
  [
    "Secret",
    "of type basic-auth with a password",
    { type: "kubernetes.io/basic-auth", stringData: { password: "p" } },
    [],
  ],
  [
    "Secret",
    "of type basic-auth",
    { type: "kubernetes.io/basic-auth" },
    ["data[username]: Required value", "data[password]: Required value"],
  ],
  [
    "Secret",
    "of type dockerconfigjson",
    { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "[" } },
    ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": must be a JSON object'],
  ],
  [
    "Secret",
    "for an account",
    { type: "kubernetes.io/service-account-token" },
    ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
  ],
  ["Namespace", "good", {}, []],
  [
    "Namespace",
    "with a plain finalizer",
    { spec: { finalizers: ["mine"] } },
    [/^spec.finalizers\[0\]: .*name is neither a standard finalizer name nor is it fully qualified$/],
  ],
  [
    "Event",
    "elsewhere",
    { involvedObject: { namespace: "other" } },
    [/^involvedObject.namespace: .*does not match event.namespace$/],
  ],
  [
    "Event",
    "of the new form without its fields",
    { involvedObject: { namespace: "n" }, eventTime: "2024-01-01T00:00:00.000000Z" },
    [
      "reportingComponent: Required value",
      /^reportingComponent: Invalid value: "": name part must be non-empty$/,
      /^reportingComponent: Invalid value: "": name part must consist/,
      "reportingInstance: Required value",
      "action: Required value",
      "reason: Required value",
    ],
  ],
  ["Node", "good", { spec: { podCIDR: "10.0.0.0/24", taints: [{ key: "a", effect: "NoSchedule" }] } }, []],
  [
    "Node",
    "with two ranges of a family",
    { spec: { podCIDRs: ["10.0.0.0/24", "10.1.0.0/24"] } },
    [/may specify no more than one CIDR/],
  ],
  [
    "Node",
    "with an unknown effect",
    { spec: { taints: [{ key: "a", effect: "X" }] } },
    [/^metadata.taints\[0\].effect: Unsupported value: "X"/],
  ],
  ["Service", "good", serviceOf({}), []],
  [
    "Service",
    "named with a digit",
    { metadata: { name: "1a" }, ...serviceOf({}) },
    [/^metadata.name: .*a DNS-1035 label must/],
  ],
  ["Service", "without ports", { spec: {} }, ["spec.ports: Required value"]],
  ["Service", "headless without ports", { spec: { clusterIP: "None" } }, []],
  [
    "Service",
    "with port 0",
    serviceOf({ ports: [{ port: 0 }] }),
    [
      "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
    ],
  ],
  [
    "Service",
    "with ports alike",
    serviceOf({ ports: [{ name: "a", port: 80 }, { name: "a", port: 80 }, { port: 81 }] }),
    [
      'spec.ports[1].name: Duplicate value: "a"',
      'spec.ports[1]: Duplicate value: {"protocol":"TCP","port":80}',
      "spec.ports[2].name: Required value",
    ],
  ],
  [
    "Service",
    "of unknown type",
    serviceOf({ type: "X" }),
    [/^spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"$/],
  ],
  ["Service", "with an external name", { spec: { type: "ExternalName" } }, ["spec.externalName: Required value"]],
  [
    "Service",
    "with a node port and no use for it",
    serviceOf({ ports: [{ port: 80, nodePort: 30000 }] }),
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  ["Service", "on a loopback", serviceOf({ externalIPs: ["127.0.0.1"] }), [/^spec.externalIPs\[0\]: .*loopback range/]],
  [
    "Pod",
    "good",
    podOf({ volumes: [{ name: "v" }], containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }] }),
    [],
  ],
  ["Pod", "without spec", {}, ["spec.containers: Required value"]],
  [
    "Pod",
    "with a bare container",
    { spec: { containers: [{}] } },
    ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
  ],
  [
    "Pod",
    "with containers of one name",
    podOf({ initContainers: [container] }),
    ['spec.initContainers[0].name: Duplicate value: "c"'],
  ],
  [
    "Pod",
    "with a mount of nothing",
    podOf({
      containers: [
        {
          ...container,
          volumeMounts: [
            { name: "v", mountPath: "/v" },
            { name: "v", mountPath: "/v" },
          ],
        },
      ],
    }),
    [
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
      'spec.containers[0].volumeMounts[1].name: Not found: "v"',
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/v": must be unique',
    ],
  ],
  [
    "Pod",
    "with a volume of two sources",
    podOf({ volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/" } }] }),
    ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
  ],
  [
    "Pod",
    "that restarts in an unknown way",
    podOf({ restartPolicy: "X", dnsPolicy: "Y" }),
    [
      'spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsPolicy: Unsupported value: "Y": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [
    "Pod",
    "that asks for more than its limit",
    podOf({
      containers: [
        { ...container, resources: { limits: { cpu: "1", memory: "-1" }, requests: { cpu: "2", memory: "-1" } } },
      ],
    }),
    [
      'spec.containers[0].resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    "Pod",
    "with a probe of nothing",
    podOf({
      containers: [
        { ...container, livenessProbe: {}, readinessProbe: { exec: { command: ["a"] }, tcpSocket: { port: 1 } } },
      ],
    }),
    [
      "spec.containers[0].livenessProbe: Required value: must specify a handler type",
      "spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
    ],
  ],
  [
    "Pod",
    "with a debugger",
    podOf({ ephemeralContainers: [{ name: "d", image: "d" }] }),
    ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
  ],
  ["discovery.k8s.io/v1.EndpointSlice", "good", sliceOf({ ports: [{ name: "a", port: 80 }, {}] }), []],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "without address type",
    sliceOf({ addressType: "" }),
    ["addressType: Required value"],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "of unknown address type",
    sliceOf({ addressType: "IPv5" }),
    ['addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with 1001 endpoints",
    sliceOf({ endpoints: many(1001, () => ({ addresses: ["10.0.0.1"] })) }),
    ["endpoints: Too many: 1001: must have at most 1000 items"],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with 101 ports",
    sliceOf({ ports: many(101, (i) => ({ name: `p${i}` })) }),
    ["ports: Too many: 101: must have at most 100 items"],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with 101 addresses",
    sliceOf({ endpoints: [{ addresses: many(101, (i) => `10.0.0.${i + 1}`) }] }),
    ["endpoints[0].addresses: Too many: 101: must have at most 100 items"],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "without addresses",
    sliceOf({ endpoints: [{}] }),
    ["endpoints[0].addresses: Required value: must contain at least 1 address"],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with names alike",
    sliceOf({ ports: [{}, {}] }),
    ['ports[1].name: Duplicate value: ""'],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with a port name of wrong form",
    sliceOf({ ports: [{ name: "A" }] }),
    [/^ports\[0\].name: Invalid value: "A": a lowercase RFC 1123 label must/],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with another protocol",
    sliceOf({ ports: [{ protocol: "X" }] }),
    ['ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with addresses of another type",
    sliceOf({ endpoints: [{ addresses: ["::1", "127.0.0.1"] }] }),
    [
      'endpoints[0].addresses[0]: Invalid value: "::1": must be a valid IPv4 address',
      /^endpoints\[0\].addresses\[0\]: .*loopback/,
      /^endpoints\[0\].addresses\[1\]: .*loopback/,
    ],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "of names",
    sliceOf({ addressType: "FQDN", endpoints: [{ addresses: ["example.com"] }] }),
    [],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "with nine hints",
    sliceOf({ endpoints: [{ addresses: ["10.0.0.1"], hints: { forZones: many(9, (i) => ({ name: `z${i}` })) } }] }),
    ["endpoints[0].hints.forZones: Too many: 9: must have at most 8 items"],
  ],
];

for (const [kind, what, tree, expected] of creates) {
  test(`a ${kind} ${what} gets ${expected.length === 0 ? "no errors" : expected.length} on create`, () => {
    const errors = createErrors(kind, tree);
    assert.equal(errors.length, expected.length, errors.join("\n"));
    for (const [i, wanted] of expected.entries()) {
      if (typeof wanted === "string") assert.equal(errors[i], wanted);
      else assert.match(errors[i] ?? "", wanted);
    }
  });
}

const updates: readonly (readonly [string, string, Tree, Tree, readonly (string | RegExp)[]])[] = [
  ["ConfigMap", "that changes", { data: { a: "1" } }, { data: { a: "2" } }, []],
  [
    "ConfigMap",
    "that was frozen",
    { data: { a: "1" } },
    { immutable: true, data: { a: "2" } },
    [
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ],
  ],
  ["Secret", "that changes its type", { type: "a" }, {}, ['type: Invalid value: "a": field is immutable']],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "that changes its address type",
    sliceOf({ addressType: "FQDN", endpoints: [] }),
    sliceOf({}),
    ['addressType: Invalid value: "FQDN": field is immutable'],
  ],
  [
    "Pod",
    "with another image and more tolerations",
    podOf({ containers: [{ ...container, image: "nginx:2" }], tolerations: [{ operator: "Exists" }] }),
    podOf({}),
    [],
  ],
  [
    "Pod",
    "with another command",
    podOf({ containers: [{ ...container, command: ["a"] }] }),
    podOf({}),
    [/^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`/],
  ],
  [
    "Pod",
    "with one container more",
    podOf({ containers: [container, { ...container, name: "d" }] }),
    podOf({}),
    ["spec.containers: Forbidden: pod updates may not add or remove containers"],
  ],
  [
    "Pod",
    "with a later deadline",
    podOf({ activeDeadlineSeconds: 9 }),
    podOf({ activeDeadlineSeconds: 5 }),
    ["spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value"],
  ],
  [
    "Pod",
    "without its gate, with more of a node selector",
    podOf({ nodeSelector: { a: "b" } }),
    podOf({ schedulingGates: [{ name: "g" }] }),
    [],
  ],
  [
    "Service",
    "with another address",
    serviceOf({ clusterIP: "10.0.0.2" }),
    serviceOf({ clusterIP: "10.0.0.1" }),
    ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
  ],
  ["Service", "that leaves its address out", serviceOf({}), serviceOf({ clusterIP: "10.0.0.1" }), []],
  [
    "Service",
    "that becomes a name",
    { spec: { type: "ExternalName", externalName: "a.b" } },
    serviceOf({ clusterIP: "10.0.0.1" }),
    [],
  ],
  [
    "Node",
    "with another range",
    { spec: { podCIDR: "10.1.0.0/24" } },
    { spec: { podCIDR: "10.0.0.0/24" } },
    [/^spec.podCIDRs: Forbidden: node updates may not change podCIDR/],
  ],
  ["Node", "that is cordoned", { spec: { unschedulable: true } }, {}, []],
];

for (const [kind, what, tree, before, expected] of updates) {
  test(`a ${kind} ${what} gets ${expected.length === 0 ? "no errors" : expected.length} on update`, () => {
    const errors = updateErrors(kind, tree, before);
    assert.equal(errors.length, expected.length, errors.join("\n"));
    for (const [i, wanted] of expected.entries()) {
      if (typeof wanted === "string") assert.equal(errors[i], wanted);
      else assert.match(errors[i] ?? "", wanted);
    }
  });
}

const values: readonly (readonly [string, string, Tree, string, unknown])[] = [
  ["Namespace", "gets its finalizer", {}, "spec.finalizers", ["kubernetes"]],
  ["Namespace", "is active, whatever it says", { status: { phase: "Terminating" } }, "status", { phase: "Active" }],
  ["Secret", "is opaque", {}, "type", "Opaque"],
  [
    "Secret",
    "takes plain texts into its data",
    { data: { a: "YQ==", b: "Yg==" }, stringData: { a: "x" } },
    "data",
    { a: "eA==", b: "Yg==" },
  ],
  ["Secret", "keeps no plain texts", { stringData: { a: "x" } }, "stringData", undefined],
  [
    "ServiceAccount",
    "keeps only the names of its secrets",
    { secrets: [{ name: "s", kind: "K" }] },
    "secrets",
    [{ name: "s" }],
  ],
  ["Service", "sends to the same port", serviceOf({}), "spec.ports", [{ port: 80, protocol: "TCP", targetPort: 80 }]],
  ["Service", "is reached inside", serviceOf({}), "spec.type", "ClusterIP"],
  ["Service", "has a list of its address", serviceOf({ clusterIP: "None" }), "spec.clusterIPs", ["None"]],
  ["Service", "starts without a balancer's addresses", serviceOf({}), "status", { loadBalancer: {} }],
  [
    "Service",
    "keeps its callers for three hours",
    serviceOf({ sessionAffinity: "ClientIP" }),
    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
    10800,
  ],
  ["Pod", "gets time to end", podOf({}), "spec.terminationGracePeriodSeconds", 30],
  ["Pod", "gets a service's links", podOf({}), "spec.enableServiceLinks", true],
  ["Pod", "writes its account under both names", podOf({ serviceAccount: "a" }), "spec.serviceAccountName", "a"],
  [
    "Pod",
    "gets an empty folder for a volume of nothing",
    podOf({ volumes: [{ name: "v" }] }),
    "spec.volumes",
    [{ name: "v", emptyDir: {} }],
  ],
  ["Pod", "is pending, best effort", podOf({}), "status", { phase: "Pending", qosClass: "BestEffort" }],
  [
    "Pod",
    "fills its containers",
    podOf({
      containers: [{ name: "c", image: "nginx", ports: [{ containerPort: 80 }], resources: { limits: { cpu: "1" } } }],
    }),
    "spec.containers",
    [
      {
        name: "c",
        image: "nginx",
        ports: [{ containerPort: 80, protocol: "TCP" }],
        resources: { limits: { cpu: "1" }, requests: { cpu: "1" } },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "Always",
      },
    ],
  ],
  ["Node", "may use all it has", { status: { capacity: { cpu: "4" } } }, "status.allocatable", { cpu: "4" }],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "names and types its ports",
    sliceOf({ ports: [{ port: 1 }] }),
    "ports",
    [{ port: 1, name: "", protocol: "TCP" }],
  ],
  [
    "discovery.k8s.io/v1.EndpointSlice",
    "ignores topology",
    sliceOf({ endpoints: [{ addresses: ["10.0.0.1"], deprecatedTopology: { a: "b" } }] }),
    "endpoints",
    [{ addresses: ["10.0.0.1"] }],
  ],
  ["discovery.k8s.io/v1.EndpointSlice", "counts its generations", sliceOf({}), "metadata.generation", 1],
  ["ConfigMap", "keeps a generation that it does not count", { metadata: { generation: 7 } }, "metadata.generation", 7],
];

for (const [kind, what, tree, path, expected] of values) {
  test(`a new ${kind} ${what}`, () => assert.deepEqual(valueAt(created(kind, tree), path), expected));
}

test("a namespace carries its name as a label", () => {
  assert.equal(created("Namespace", {}).metadata.labels?.["kubernetes.io/metadata.name"], "x");
});

test("an update keeps status, identity and what the server set", () => {
  const old = created("Namespace", { metadata: { uid: "u", creationTimestamp: "2024-01-01T00:00:00Z" } });
  const next = updated(
    "Namespace",
    { metadata: { creationTimestamp: "2025-01-01T00:00:00Z" }, spec: {}, status: { phase: "X" } },
    old,
  );
  assert.deepEqual(next["status"], { phase: "Active" });
  assert.deepEqual(next["spec"], { finalizers: ["kubernetes"] });
  assert.equal(next.metadata.uid, "u");
  assert.equal(next.metadata.creationTimestamp, "2024-01-01T00:00:00Z");
});

test("a write of the status leaves the rest as it was stored", () => {
  const old = created("Namespace", { metadata: { uid: "u" } });
  const sent = { metadata: { name: "x", labels: { a: "b" } }, spec: {}, status: { phase: "Terminating" } };
  const next = prepareForPart(kindOf("Namespace"), { name: "status", object: sent, old }, testContext);
  assert.deepEqual(next["status"], { phase: "Terminating" });
  assert.deepEqual(next["spec"], old["spec"]);
  assert.deepEqual(next.metadata, { name: "x", labels: { a: "b" }, uid: "u" });
});

test("a slice's generation moves with its content and labels, not with annotations", () => {
  const old = created("discovery.k8s.io/v1.EndpointSlice", sliceOf({}));
  const generation = (tree: Tree) => updated("discovery.k8s.io/v1.EndpointSlice", tree, old).metadata.generation;
  assert.equal(generation(sliceOf({ metadata: { annotations: { a: "b" } } })), 1);
  assert.equal(generation(sliceOf({ metadata: { labels: { a: "b" } } })), 2);
  assert.equal(generation(sliceOf({ endpoints: [] })), 2);
  assert.equal(generation(sliceOf({ metadata: { generation: 9 } })), 1);
});

test("stored topology stays where its endpoint did not change", () => {
  const endpoint = { addresses: ["10.0.0.1"], deprecatedTopology: { a: "b" } };
  const old = { ...created("discovery.k8s.io/v1.EndpointSlice", sliceOf({})), endpoints: [endpoint] };
  assert.deepEqual(updated("discovery.k8s.io/v1.EndpointSlice", sliceOf({ endpoints: [endpoint] }), old)["endpoints"], [
    endpoint,
  ]);
  const moved = { ...endpoint, addresses: ["10.0.0.2"] };
  assert.deepEqual(updated("discovery.k8s.io/v1.EndpointSlice", sliceOf({ endpoints: [moved] }), old)["endpoints"], [
    { addresses: ["10.0.0.2"] },
  ]);
});

for (const [image, policy] of [
  ["nginx", "Always"],
  ["nginx:latest", "Always"],
  ["registry:5000/nginx", "Always"],
  ["nginx:1", "IfNotPresent"],
  ["registry:5000/nginx:1", "IfNotPresent"],
  ["nginx@sha256:ab", "IfNotPresent"],
] as const) {
  test(`the image ${image} is pulled ${policy}`, () => {
    const pod = created("Pod", podOf({ containers: [{ name: "c", image }] }));
    assert.equal((valueAt(pod, "spec.containers") as { imagePullPolicy: string }[])[0]?.imagePullPolicy, policy);
  });
}

for (const [what, resources, expected] of [
  ["limits for both", { limits: { cpu: "1", memory: "1Gi" } }, "Guaranteed"],
  ["a limit for one", { limits: { cpu: "1" } }, "Burstable"],
  ["less asked than limited", { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } }, "Burstable"],
  ["nothing", {}, "BestEffort"],
] as const) {
  test(`a pod with ${what} is ${expected}`, () => {
    assert.equal(
      valueAt(created("Pod", podOf({ containers: [{ ...container, resources }] })), "status.qosClass"),
      expected,
    );
  });
}

test("selectors see texts, zero values and the kind's own values", () => {
  const pod = kindOf("Pod");
  assert.deepEqual(selectableFields(pod, created("Pod", podOf({ nodeName: "n1" }))), {
    "metadata.name": "x",
    "metadata.namespace": "n",
    "spec.nodeName": "n1",
    "spec.restartPolicy": "Always",
    "spec.schedulerName": "default-scheduler",
    "spec.serviceAccountName": "",
    "spec.hostNetwork": "false",
    "status.phase": "Pending",
    "status.podIP": "",
    "status.podIPs": "",
    "status.nominatedNodeName": "",
  });
  const event = created("Event", { involvedObject: { kind: "Pod" }, source: { component: "kubelet" } });
  assert.equal(selectableFields(kindOf("Event"), event)["source"], "kubelet");
  assert.equal(selectableFields(kindOf("Event"), event)["involvedObject.kind"], "Pod");
});

test("defaulting what was defaulted changes nothing", () => {
  // A service port of 0 is refused; its target, which follows it, would be dropped as a zero.
  const trees = creates.filter(([, what]) => what !== "with port 0").map(([kind, , tree]) => [kind, tree] as const);
  fc.assert(
    fc.property(fc.constantFrom(...trees), ([kind, tree]) => {
      const once = setDefaults(kindOf(kind), decodeObject(kindOf(kind), tree).object);
      assert.deepEqual(setDefaults(kindOf(kind), once), once);
      assert.deepEqual(decodeObject(kindOf(kind), once).object, once);
    }),
  );
});
