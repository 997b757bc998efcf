import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../../catalog.js";
import { createKindKit, type Tree } from "../../../testing/kind-kit.js";
import {
  type CreateRow,
  type PartRow,
  testCreates,
  testParts,
  testUpdates,
  type UpdateRow,
  type ValueRow,
} from "../../../testing/kind-rows.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
/** The value at a path, through lists too: `spec.containers.0.image`. */
const at = (object: object, path: string): unknown =>
  path
    .split(".")
    .reduce((value: unknown, step) => (Object(value) === value ? Reflect.get(Object(value), step) : undefined), object);
const c = { name: "c", image: "nginx:1" };
const podOf = (spec: Tree = {}, metadata: Tree = {}): Tree => ({ metadata, spec: { containers: [c], ...spec } });
const noted = (annotations: Tree, spec: Tree = {}): Tree => podOf(spec, { annotations });
const appArmor = (name: string): string => `container.apparmor.security.beta.kubernetes.io/${name}`;
const mirror = "kubernetes.io/config.mirror";
const cost = "controller.kubernetes.io/pod-deletion-cost";

const creates: readonly CreateRow[] = [
  [
    "Pod",
    "with annotations",
    noted({
      [cost]: "-5",
      [appArmor("c")]: "runtime/default",
      "seccomp.security.alpha.kubernetes.io/pod": "localhost/a",
      "scheduler.alpha.kubernetes.io/tolerations": '[{"operator":"Exists"}]',
    }),
    [],
  ],
  [
    "Pod",
    "that mirrors no node",
    noted({ [mirror]: "x" }),
    [`metadata.annotations[${mirror}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`],
  ],
  [
    "Pod",
    "of no cost",
    noted({ [cost]: "+1" }),
    [`metadata.annotations[${cost}]: Invalid value: "+1": must be a 32bit integer`],
  ],
  [
    "Pod",
    "of too high a cost",
    noted({ [cost]: "2147483648" }),
    [`metadata.annotations[${cost}]: Invalid value: "2147483648": must be a 32bit integer`],
  ],
  [
    "Pod",
    "with a profile for no container",
    noted({ [appArmor("d")]: "x" }),
    [
      `metadata.annotations[${appArmor("d")}]: Invalid value: "d": container not found`,
      `metadata.annotations[${appArmor("d")}]: Invalid value: "x": invalid AppArmor profile name: "x"`,
    ],
  ],
  [
    "Pod",
    "with an old profile of no form",
    noted({ "container.seccomp.security.alpha.kubernetes.io/c": "x" }),
    [
      'metadata.annotations.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: "x": must be a valid seccomp profile',
    ],
  ],
  [
    "Pod",
    "with old tolerations of no form",
    noted({ "scheduler.alpha.kubernetes.io/tolerations": "[{}]" }),
    [
      /^metadata.annotations.scheduler.alpha.kubernetes.io\/tolerations\[0\].operator: Invalid value: "": operator must be Exists/,
    ],
  ],
  [
    "Pod",
    "with old tolerations that are no JSON",
    noted({ "scheduler.alpha.kubernetes.io/tolerations": "[" }),
    [/^metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io\/tolerations": /],
  ],
  [
    "Pod",
    "with two profiles for a container",
    noted(
      { [appArmor("c")]: "unconfined" },
      { containers: [{ ...c, securityContext: { appArmorProfile: { type: "RuntimeDefault" } } }] },
    ),
    [
      "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
    ],
  ],
  [
    "Pod",
    "with a profile of two names",
    noted(
      { [appArmor("c")]: "localhost/a" },
      { containers: [{ ...c, securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "b" } } }] },
    ),
    [
      "spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match",
    ],
  ],
  [
    "Pod",
    "with a debugger",
    podOf({ ephemeralContainers: [{ name: "d", image: "d" }] }),
    ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
  ],
  ["PodTemplate", "good", { template: podOf({}, { labels: { a: "b" } }) }, []],
  [
    "PodTemplate",
    "with blanks around an image, which its maker replaces",
    { template: podOf({ containers: [{ ...c, image: " " }] }) },
    [],
  ],
  [
    "PodTemplate",
    "on its host's network, its ports left open",
    { template: podOf({ hostNetwork: true, containers: [{ ...c, ports: [{ containerPort: 80 }] }] }) },
    [],
  ],
  [
    "PodTemplate",
    "with everything wrong",
    {
      template: {
        metadata: { labels: { "-": "" }, annotations: { "-": "", [cost]: "x" } },
        spec: { containers: [c], ephemeralContainers: [{ name: "d", image: "d" }] },
      },
    },
    [
      /^template.labels: Invalid value: "-"/,
      /^template.annotations: Invalid value: "-"/,
      `template.annotations[${cost}]: Invalid value: "x": must be a 32bit integer`,
      "template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template",
    ],
  ],
  ["PodTemplate", "without containers", {}, ["template.spec.containers: Required value"]],
];
testCreates(kit, creates);

const probe = { exec: { command: ["a"] } };
const values: readonly ValueRow[] = [
  [
    "Pod",
    "asks for what it is limited to",
    podOf({ initContainers: [{ ...c, name: "i", resources: { limits: { memory: "1Gi" } } }] }),
    "spec.initContainers.0.resources.requests",
    { memory: "1Gi" },
  ],
  [
    "Pod",
    "takes the ports of its host",
    podOf({ hostNetwork: true, containers: [{ ...c, ports: [{ containerPort: 80 }] }] }),
    "spec.containers.0.ports",
    [{ containerPort: 80, hostPort: 80, protocol: "TCP" }],
  ],
  [
    "PodTemplate",
    "leaves the ports of its host open",
    { template: podOf({ hostNetwork: true, containers: [{ ...c, ports: [{ containerPort: 80 }] }] }) },
    "template.spec.containers.0.ports",
    [{ containerPort: 80, protocol: "TCP" }],
  ],
  [
    "PodTemplate",
    "leaves its requests open",
    { template: podOf({ containers: [{ ...c, resources: { limits: { cpu: "1" } } }] }) },
    "template.spec.containers.0.resources",
    { limits: { cpu: "1" } },
  ],
  [
    "PodTemplate",
    "leaves a service's links open",
    { template: podOf() },
    "template.spec.enableServiceLinks",
    undefined,
  ],
  [
    "PodTemplate",
    "is filled though it is empty",
    {},
    "template.spec",
    {
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    },
  ],
  [
    "Pod",
    "has a second for a negative time to end",
    podOf({ terminationGracePeriodSeconds: -5 }),
    "spec.terminationGracePeriodSeconds",
    1,
  ],
  [
    "Pod",
    "rounds what its container asks for",
    podOf({ containers: [{ ...c, resources: { requests: { cpu: "1500u" } } }] }),
    "spec.containers.0.resources.requests",
    { cpu: "2m" },
  ],
  [
    "Pod",
    "fills its probes",
    podOf({ containers: [{ ...c, livenessProbe: probe }] }),
    "spec.containers.0.livenessProbe",
    { ...probe, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  ],
  [
    "Pod",
    "fills a request",
    podOf({ containers: [{ ...c, lifecycle: { preStop: { httpGet: { port: 80 } } } }] }),
    "spec.containers.0.lifecycle.preStop.httpGet",
    { port: 80, path: "/", scheme: "HTTP" },
  ],
  [
    "Pod",
    "fills a reference to a field",
    podOf({ containers: [{ ...c, env: [{ name: "E", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }] }),
    "spec.containers.0.env.0.valueFrom.fieldRef.apiVersion",
    "v1",
  ],
  [
    "Pod",
    "fills a secret's volume",
    podOf({ volumes: [{ name: "v", secret: { secretName: "s" } }] }),
    "spec.volumes.0.secret.defaultMode",
    420,
  ],
  [
    "Pod",
    "fills a token's volume",
    podOf({ volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] }),
    "spec.volumes.0.projected",
    { defaultMode: 420, sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }] },
  ],
  [
    "Pod",
    "fills its host's path",
    podOf({ volumes: [{ name: "v", hostPath: { path: "/a" } }] }),
    "spec.volumes.0.hostPath.type",
    "",
  ],
  [
    "Pod",
    "fills a disk",
    podOf({ volumes: [{ name: "v", azureDisk: { diskName: "d", diskURI: "u" } }] }),
    "spec.volumes.0.azureDisk",
    { diskName: "d", diskURI: "u", cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false },
  ],
  [
    "Pod",
    "fills a claim of its own",
    podOf({ volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] }),
    "spec.volumes.0.ephemeral.volumeClaimTemplate.spec.volumeMode",
    "Filesystem",
  ],
  [
    "Pod",
    "pulls an image for a volume every time",
    podOf({ volumes: [{ name: "v", image: { reference: "a:latest" } }] }),
    "spec.volumes.0.image.pullPolicy",
    "Always",
  ],
  [
    "Pod",
    "that is held back says so",
    podOf({ schedulingGates: [{ name: "g" }] }),
    "status.conditions",
    [
      {
        type: "PodScheduled",
        status: "False",
        lastTransitionTime: "2026-01-02T03:04:05Z",
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ],
  ],
  [
    "Pod",
    "loses a status that a client gave it",
    { ...podOf(), status: { phase: "Running", podIP: "1.2.3.4" } },
    "status",
    { phase: "Pending", qosClass: "BestEffort" },
  ],
  [
    "Pod",
    "notes its profile",
    podOf({
      containers: [{ ...c, securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "a" } } }],
    }),
    "metadata.annotations",
    { [appArmor("c")]: "localhost/a" },
  ],
  [
    "Pod",
    "notes its pod's profile",
    podOf({ securityContext: { appArmorProfile: { type: "Unconfined" } } }),
    "metadata.annotations",
    { [appArmor("c")]: "unconfined" },
  ],
  [
    "Pod",
    "has the profile that is noted",
    noted({ [appArmor("c")]: "runtime/default" }),
    "spec.containers.0.securityContext",
    { appArmorProfile: { type: "RuntimeDefault" } },
  ],
  [
    "Pod",
    "asks for its own value of a label",
    podOf(
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: "z",
                labelSelector: { matchLabels: { a: "b" } },
                matchLabelKeys: ["v", "none"],
                mismatchLabelKeys: ["w"],
              },
            ],
          },
        },
      },
      { labels: { v: "1", w: "2" } },
    ),
    "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.0.labelSelector",
    {
      matchLabels: { a: "b" },
      matchExpressions: [
        { key: "v", operator: "In", values: ["1"] },
        { key: "w", operator: "NotIn", values: ["2"] },
      ],
    },
  ],
];
for (const [kind, what, tree, path, expected] of values) {
  test(`a new ${kind} ${what}`, () => assert.deepEqual(at(kit.created(kind, tree), path), expected));
}

const gated = { schedulingGates: [{ name: "g" }] };
const needs = (...matchExpressions: readonly Tree[]): Tree => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
});
const exists = (key: string): Tree => ({ key, operator: "Exists" });
const termsAt = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const rule =
  /^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`,`spec.initContainers\[\*\].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` \(only additions to existing tolerations\),`spec.terminationGracePeriodSeconds` \(allow it to be set to 1 if it was previously negative\)$/;

const updates: readonly UpdateRow[] = [
  [
    "Pod",
    "with an image that is pulled in another way",
    podOf({ containers: [{ ...c, image: "nginx:latest" }] }),
    podOf(),
    [rule],
  ],
  [
    "Pod",
    "with other images and labels",
    podOf(
      { containers: [{ ...c, image: "a:2" }], initContainers: [{ name: "i", image: "b:2" }] },
      { labels: { a: "b" } },
    ),
    podOf({ initContainers: [{ name: "i", image: "a:1" }] }),
    [],
  ],
  [
    "Pod",
    "without an image",
    podOf({ containers: [{ ...c, image: "", imagePullPolicy: "IfNotPresent" }] }),
    podOf(),
    ["spec.containers[0].image: Required value"],
  ],
  ["Pod", "with another command", podOf({ containers: [{ ...c, command: ["a"] }] }), podOf(), [rule]],
  [
    "Pod",
    "with other resources",
    podOf({ containers: [{ ...c, resources: { requests: { cpu: "1" } } }] }),
    podOf(),
    [rule],
  ],
  [
    "Pod",
    "with another start",
    podOf({ initContainers: [] }),
    podOf({ initContainers: [{ name: "i", image: "a" }] }),
    ["spec.initContainers: Forbidden: pod updates may not add or remove containers"],
  ],
  ["Pod", "with a deadline", podOf({ activeDeadlineSeconds: 5 }), podOf(), []],
  ["Pod", "with an earlier deadline", podOf({ activeDeadlineSeconds: 4 }), podOf({ activeDeadlineSeconds: 5 }), []],
  [
    "Pod",
    "with a later deadline, and another command",
    podOf({ activeDeadlineSeconds: 6, containers: [{ ...c, command: ["a"] }] }),
    podOf({ activeDeadlineSeconds: 5 }),
    ["spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"],
  ],
  [
    "Pod",
    "without its deadline",
    podOf(),
    podOf({ activeDeadlineSeconds: 5 }),
    ["spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"],
  ],
  [
    "Pod",
    "that bears more, for longer",
    podOf({ tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 9 }, { key: "a" }] }),
    podOf({ tolerations: [{ operator: "Exists", effect: "NoExecute" }] }),
    [],
  ],
  [
    "Pod",
    "that bears less",
    podOf(),
    podOf({ tolerations: [{ key: "a" }] }),
    ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
  ],
  [
    "Pod",
    "whose time to end was negative",
    podOf({ terminationGracePeriodSeconds: 1 }),
    podOf({ terminationGracePeriodSeconds: -5 }),
    [],
  ],
  [
    "Pod",
    "whose time to end was positive",
    podOf({ terminationGracePeriodSeconds: 1 }),
    podOf({ terminationGracePeriodSeconds: 5 }),
    [rule],
  ],
  ["Pod", "without its gate", podOf(), podOf(gated), []],
  [
    "Pod",
    "with a gate more",
    podOf({ schedulingGates: [{ name: "g" }, { name: "h" }] }),
    podOf(gated),
    ["spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'h'"],
  ],
  [
    "Pod",
    "that was held back and is choosier",
    podOf({ nodeSelector: { a: "1", b: "2" }, ...needs(exists("x"), exists("y")) }),
    podOf({ ...gated, nodeSelector: { a: "1" }, ...needs(exists("x")) }),
    [],
  ],
  [
    "Pod",
    "that was held back and chooses for the first time",
    podOf({ nodeSelector: { a: "1" }, ...needs(exists("x")) }),
    podOf(gated),
    [],
  ],
  [
    "Pod",
    "that was held back and is less choosy",
    podOf(needs(exists("y"))),
    podOf({ ...gated, nodeSelector: { a: "1" }, ...needs(exists("x")) }),
    [
      "spec.nodeSelector: Invalid value: {}: only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      new RegExp(
        `^${termsAt.replaceAll(".", "\\.")}\\[0\\]: Invalid value: .*: only additions are allowed \\(no mutations or deletions\\)$`,
      ),
    ],
  ],
  [
    "Pod",
    "that was held back and needs no node any more",
    podOf(),
    podOf({ ...gated, ...needs(exists("x")) }),
    [`${termsAt}: Invalid value: []: no additions/deletions to non-empty NodeSelectorTerms list are allowed`],
  ],
  [
    "Pod",
    "that was held back and keeps other company",
    podOf({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "z" }] } } }),
    podOf(gated),
    [rule],
  ],
  ["Pod", "that is choosier than its gate was", podOf({ nodeSelector: { a: "1" } }), podOf(), [rule]],
  [
    "Pod",
    "with other annotations of its making",
    noted({ [mirror]: "y", [appArmor("c")]: "unconfined" }, { nodeName: "n" }),
    noted({ [mirror]: "x" }, { nodeName: "n" }),
    [
      `metadata.annotations[${mirror}]: Forbidden: may not remove or update mirror pod annotation`,
      `metadata.annotations[${appArmor("c")}]: Forbidden: may not add AppArmor annotations`,
    ],
  ],
  ["PodTemplate", "with another template", { template: podOf({ hostname: "h" }) }, { template: podOf() }, []],
];
testUpdates(kit, updates);

test("a template that changes moves the generation", () => {
  const old = kit.created("PodTemplate", { template: podOf() });
  assert.equal(kit.updated("PodTemplate", { template: podOf({ hostname: "h" }) }, old).metadata.generation, 2);
});

const statusOf = (status: Tree, spec: Tree = {}): Tree => ({ ...podOf(spec), status });
const bound = (status: Tree): Tree => statusOf(status, { nodeName: "n" });
const condition = { type: "PodScheduled", status: "True" };
const user = { linux: { uid: -1, gid: 0, supplementalGroups: [-1] } };
const shownUser = { name: "c", ready: true, restartCount: 0, image: "", imageID: "", user };
const id = "must be between 0 and 2147483647, inclusive";

const statuses: readonly PartRow[] = [
  [
    "Pod/status",
    "of a pod that runs",
    bound({
      phase: "Running",
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
      hostIP: "1.1.1.1",
      hostIPs: [{ ip: "1.1.1.1" }],
      conditions: [condition, { type: "a.b/C", status: "True" }],
    }),
    podOf(),
    [],
  ],
  [
    "Pod/status",
    "with a condition of no form",
    bound({ conditions: [{ type: "-", status: "True" }] }),
    podOf(),
    [/^metadata.conditions\[0\].Type: Invalid value: "-"/],
  ],
  [
    "Pod/status",
    "with a nominee of no form",
    bound({ nominatedNodeName: "A_" }),
    podOf(),
    [/^status.nominatedNodeName: Invalid value: "A_"/],
  ],
  [
    "Pod/status",
    "with two addresses of a family",
    bound({ podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] }),
    podOf(),
    [/^status.podIPs: Invalid value: .*: may specify no more than one IP for each IP family$/],
  ],
  [
    "Pod/status",
    "with an address twice, one of no form",
    bound({ podIPs: [{ ip: "x" }, { ip: "x" }] }),
    podOf(),
    [
      /^status.podIPs\[0\]: Invalid value: "x": must be a valid IP/,
      /^status.podIPs\[1\]: Invalid value: "x"/,
      /no more than one IP/,
      /^status.podIPs\[1\]: Duplicate value: /,
    ],
  ],
  [
    "Pod/status",
    "with another address of its host",
    bound({ hostIP: "1.1.1.1", hostIPs: [{ ip: "1.1.1.2" }] }),
    podOf(),
    ['status.hostIPs[0].ip: Invalid value: "1.1.1.2": must be equal to `hostIP`'],
  ],
  [
    "Pod/status",
    "with claims that are not its own",
    bound({ resourceClaimStatuses: [{ name: "g", resourceClaimName: "A_" }] }),
    podOf(),
    [
      'status.resourceClaimStatuses[0].name: Invalid value: "g": must match the name of an entry in `spec.resourceClaims`',
      /resourceClaimStatuses\[0\].name: Invalid value: "A_"/,
    ],
  ],
  [
    "Pod/status",
    "with nobody's processes",
    bound({ containerStatuses: [shownUser] }),
    podOf(),
    [
      `status.containerStatuses[0].linux.uid: Invalid value: -1: ${id}`,
      `status.containerStatuses[0].linux.supplementalGroups[0]: Invalid value: -1: ${id}`,
    ],
  ],
  [
    "Pod/status",
    "with Linux on Windows",
    bound({ containerStatuses: [shownUser] }),
    podOf({ os: { name: "windows" } }),
    ["status.containerStatuses[0].linux: Forbidden: cannot be set for a windows pod"],
  ],
];
testParts(kit, statuses);

const debug = { name: "d", image: "d:1" };
const debugged = (container: Tree): Tree => podOf({ ephemeralContainers: [container] });
const parts: readonly PartRow[] = [
  ["Pod/ephemeralcontainers", "with a debugger", debugged({ ...debug, targetContainerName: "c" }), podOf(), []],
  [
    "Pod/ephemeralcontainers",
    "with a debugger of nothing",
    debugged({ name: "c", image: " d", targetContainerName: "x" }),
    podOf(),
    [
      'spec.ephemeralContainers[0].name: Duplicate value: "c"',
      'spec.ephemeralContainers[0].image: Invalid value: " d": must not have leading or trailing whitespace',
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
    ],
  ],
  [
    "Pod/ephemeralcontainers",
    "with an unnamed debugger",
    debugged({ name: "", image: "" }),
    podOf(),
    ["spec.ephemeralContainers[0].name: Required value", "spec.ephemeralContainers[0].image: Required value"],
  ],
  [
    "Pod/ephemeralcontainers",
    "with a debugger that serves",
    debugged({
      ...debug,
      ports: [{ containerPort: 1 }],
      resources: { limits: { cpu: "1" } },
      livenessProbe: probe,
      volumeMounts: [{ name: "v", mountPath: "/v", subPath: "a" }],
    }),
    podOf({ volumes: [{ name: "v" }] }),
    [
      ...["ports", "resources", "livenessProbe"].map(
        (name) => `spec.ephemeralContainers[0].${name}: Forbidden: cannot be set for an Ephemeral Container`,
      ),
      "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
    ],
  ],
  [
    "Pod/ephemeralcontainers",
    "of a mirror",
    debugged(debug),
    noted({ [mirror]: "x" }, { nodeName: "n" }),
    [": Forbidden: static pods do not support ephemeral containers"],
  ],
  [
    "Pod/ephemeralcontainers",
    "without its debugger",
    podOf(),
    debugged(debug),
    ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n'],
  ],
  [
    "Pod/ephemeralcontainers",
    "with another debugger of its name",
    debugged({ ...debug, image: "e:1" }),
    debugged(debug),
    ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed\n'],
  ],

  [
    "Pod/resize",
    "with more of a processor",
    podOf({ containers: [{ ...c, resources: { requests: { cpu: "2" } } }] }),
    podOf({ containers: [{ ...c, resources: { requests: { cpu: "1" } } }] }),
    [],
  ],
  [
    "Pod/resize",
    "with less than nothing",
    podOf({ containers: [{ ...c, resources: { requests: { cpu: "-1" } } }] }),
    podOf({ containers: [{ ...c, resources: { requests: { cpu: "1" } } }] }),
    [
      'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing',
    ],
  ],
  [
    "Pod/resize",
    "with other devices, and none of what it had",
    podOf({
      containers: [{ ...c, resources: { limits: { "a.b/c": "2" }, requests: { memory: "1Gi", "a.b/c": "2" } } }],
    }),
    podOf({ containers: [{ ...c, resources: { requests: { cpu: "1" } } }] }),
    [
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
  ],
  [
    "Pod/resize",
    "of a mirror",
    podOf(),
    noted({ [mirror]: "x" }, { nodeName: "n" }),
    [": Forbidden: static pods cannot be resized"],
  ],
  [
    "Pod/resize",
    "of a Windows pod",
    podOf(),
    podOf({ os: { name: "windows" } }),
    [": Forbidden: windows pods cannot be resized"],
  ],
];
testParts(kit, parts);

test("a status keeps the spec, the owners and the quality of service, and tells the first address twice", () => {
  const owner = { apiVersion: "v1", kind: "Node", name: "o", uid: "u" };
  const before = podOf({}, { ownerReferences: [owner] });
  const tree = {
    ...podOf({ hostname: "other" }, { labels: { a: "b" }, ownerReferences: [] }),
    status: { podIPs: [{ ip: "10.0.0.1" }] },
  };
  const pod = kit.part("Pod", "status", { tree, before });
  assert.equal(at(pod, "spec.hostname"), undefined);
  assert.deepEqual(pod.metadata.labels, { a: "b" });
  assert.deepEqual(pod.metadata.ownerReferences, [owner]);
  assert.deepEqual(pod["status"], { podIPs: [{ ip: "10.0.0.1" }], podIP: "10.0.0.1", qosClass: "BestEffort" });
});

test("an older node's one address is right where it differs", () => {
  const tree = { ...podOf(), status: { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } };
  assert.deepEqual(at(kit.part("Pod", "status", { tree, before: podOf() }), "status.podIPs"), [{ ip: "10.0.0.2" }]);
});

test("a debugger is all that its subresource takes", () => {
  const tree = {
    metadata: { labels: { a: "b" } },
    spec: { containers: [{ ...c, image: "x:9" }], ephemeralContainers: [debug] },
  };
  const pod = kit.part("Pod", "ephemeralcontainers", { tree, before: podOf() });
  assert.equal(at(pod, "spec.ephemeralContainers.0.name"), "d");
  assert.equal(at(pod, "spec.containers.0.image"), "nginx:1");
  assert.equal(pod.metadata.labels, undefined);
});

test("resources are all that resizing takes, and it is proposed", () => {
  const tree = podOf({ hostname: "h", containers: [{ ...c, image: "x:9", resources: { requests: { cpu: "2" } } }] });
  const pod = kit.part("Pod", "resize", {
    tree,
    before: podOf({ containers: [{ ...c, resources: { requests: { cpu: "1" } } }] }),
  });
  assert.equal(at(pod, "spec.containers.0.image"), "nginx:1");
  assert.deepEqual(at(pod, "spec.containers.0.resources.requests"), { cpu: "2" });
  assert.equal(at(pod, "status.resize"), "Proposed");
});
