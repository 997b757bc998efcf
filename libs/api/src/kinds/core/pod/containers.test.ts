import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../../catalog.js";
import { expectErrors, type Wanted } from "../../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../../testing/kind-kit.js";

const { createErrors } = createKindKit(loadCatalog(createNaming("kubernetes")));
const c = { name: "c", image: "nginx:1" };
const volumes = [
  { name: "v", emptyDir: {} },
  { name: "claim", persistentVolumeClaim: { claimName: "x" } },
];
const at = "spec.containers[0]";
const several = "may not have more than one field specified at a time";

/** Changes of the pod's only container, or what stands beside it too. */
type Row = readonly [what: string, container: Tree, wanted: readonly Wanted[], spec?: Tree];

const containers: readonly Row[] = [
  ["nothing more", {}, []],
  ["a name that is no label", { name: "C" }, [/^spec.containers\[0\].name: Invalid value: "C": a lowercase RFC 1123/]],
  [
    "blanks around its image",
    { image: " x" },
    [`${at}.image: Invalid value: " x": must not have leading or trailing whitespace`],
  ],
  [
    "unknown policies",
    { imagePullPolicy: "X", terminationMessagePolicy: "Y" },
    [
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "Y": supported values: "File", "FallbackToLogsOnError"',
      `${at}.imagePullPolicy: Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"`,
    ],
  ],
  [
    "a restart policy",
    { restartPolicy: "Always" },
    [`${at}.restartPolicy: Forbidden: may not be set for non-init containers`],
  ],
  [
    "bad ports",
    {
      ports: [
        { containerPort: 0 },
        { containerPort: 65536, hostPort: 70000 },
        { containerPort: 1, name: "A_B", protocol: "X" },
      ],
    },
    [
      `${at}.ports[0].containerPort: Required value`,
      `${at}.ports[1].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
      `${at}.ports[1].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
      `${at}.ports[2].name: Invalid value: "A_B": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${at}.ports[2].name: Invalid value: "A_B": must contain at least one letter (a-z)`,
      `${at}.ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"`,
    ],
  ],
  [
    "ports of one name, and one of the host twice",
    {
      ports: [
        { containerPort: 1, name: "p", hostPort: 9 },
        { containerPort: 2, name: "p", hostPort: 9 },
      ],
    },
    [`${at}.ports[1].name: Duplicate value: "p"`, `${at}.ports[1].hostPort: Duplicate value: "TCP//9"`],
  ],
  [
    "a port of the host for each protocol",
    {
      ports: [
        { containerPort: 1, hostPort: 9 },
        { containerPort: 1, hostPort: 9, protocol: "UDP" },
      ],
    },
    [],
  ],
  [
    "another port than its host's",
    { ports: [{ containerPort: 80, hostPort: 81 }] },
    [`${at}.ports[0].hostPort: Invalid value: 81: must match \`containerPort\` when \`hostNetwork\` is true`],
    { hostNetwork: true },
  ],
  [
    "resizing of what cannot be resized",
    {
      resizePolicy: [
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "cpu", restartPolicy: "X" },
        { resourceName: "y", restartPolicy: "RestartContainer" },
      ],
    },
    [
      `${at}.resizePolicy[1]: Duplicate value: "cpu"`,
      `${at}.resizePolicy: Unsupported value: "X": supported values: "NotRequired", "RestartContainer"`,
      `${at}.resizePolicy: Invalid value: "X": must be 'NotRequired' when \`restartPolicy\` is 'Never'`,
      `${at}.resizePolicy: Unsupported value: "y": supported values: "cpu", "memory"`,
      `${at}.resizePolicy: Invalid value: "RestartContainer": must be 'NotRequired' when \`restartPolicy\` is 'Never'`,
    ],
    { restartPolicy: "Never" },
  ],
];

const ref = (source: Tree, more: Tree = {}): Tree => ({ env: [{ name: "E", valueFrom: source, ...more }] });
const fieldAt = `${at}.env[0].valueFrom.fieldRef`;
const resourceAt = `${at}.env[0].valueFrom.resourceFieldRef`;

const environments: readonly Row[] = [
  [
    "fields of its pod",
    {
      env: [
        "metadata.name",
        "spec.nodeName",
        "status.podIPs",
        "status.hostIPs",
        "metadata.labels['a/b']",
        "spec.host",
      ].map((fieldPath, i) => ({ name: `E${i}`, valueFrom: { fieldRef: { fieldPath } } })),
    },
    [],
  ],
  ["a variable without a name", { env: [{ name: "" }] }, [`${at}.env[0].name: Required value`]],
  [
    "a name with =",
    { env: [{ name: "a=b" }] },
    [/^spec.containers\[0\].env\[0\].name: Invalid value: "a=b": a valid environment variable name/],
  ],
  [
    "a value from nowhere",
    ref({}),
    [
      `${at}.env[0].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
    ],
  ],
  [
    "a value from two places",
    ref({ configMapKeyRef: { name: "m", key: "k" }, secretKeyRef: { name: "m", key: "k" } }),
    [`${at}.env[0].valueFrom: Invalid value: "": ${several}`],
  ],
  [
    "a value and a source",
    ref({ configMapKeyRef: { name: "m", key: "k" } }, { value: "v" }),
    [`${at}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
  ],
  [
    "keys without names",
    {
      env: [
        { name: "E", valueFrom: { configMapKeyRef: { key: "" } } },
        { name: "F", valueFrom: { secretKeyRef: { key: ".." } } },
      ],
    },
    [
      "spec.containers[0].env[0].valueFrom.configMapKeyRef.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      `${at}.env[0].valueFrom.configMapKeyRef.key: Required value`,
      "spec.containers[0].env[1].valueFrom.secretKeyRef.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      `${at}.env[1].valueFrom.secretKeyRef.key: Invalid value: "..": must not be '..'`,
    ],
  ],
  [
    "an unknown field",
    ref({ fieldRef: { fieldPath: "spec.x" } }),
    [`${fieldAt}.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x`],
  ],
  [
    "a field of another version",
    ref({ fieldRef: { fieldPath: "metadata.name", apiVersion: "v2" } }),
    [`${fieldAt}.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2`],
  ],
  [
    "a field that is not for variables",
    ref({ fieldRef: { fieldPath: "status.phase" } }),
    [
      /^spec.containers\[0\].env\[0\].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace"/,
    ],
  ],
  [
    "a part of a field without parts",
    ref({ fieldRef: { fieldPath: "metadata.name['a']" } }),
    [
      `${fieldAt}.fieldPath: Invalid value: "metadata.name['a']": error converting fieldPath: field label does not support subscript: metadata.name['a']`,
    ],
  ],
  [
    "a label of no form",
    ref({ fieldRef: { fieldPath: "metadata.labels['-']" } }),
    [/valueFrom.fieldRef: Invalid value: "-": name part must consist/],
  ],
  ["no path", ref({ fieldRef: {} }), [`${fieldAt}.fieldPath: Required value`]],
  [
    "amounts",
    {
      env: ["limits.cpu", "requests.memory", "limits.ephemeral-storage", "limits.hugepages-2Mi"].map((resource, i) => ({
        name: `E${i}`,
        valueFrom: { resourceFieldRef: { resource, divisor: "1" } },
      })),
    },
    [],
  ],
  [
    "an amount of the unknown",
    ref({ resourceFieldRef: { resource: "limits.x" } }),
    [
      `${resourceAt}.resource: Unsupported value: "limits.x": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"`,
    ],
  ],
  [
    "a processor in wrong units",
    ref({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }),
    [
      `${resourceAt}.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ],
  ],
  [
    "memory in wrong units",
    ref({ resourceFieldRef: { resource: "limits.memory", divisor: "1m" } }),
    [
      `${resourceAt}.divisor: Invalid value: "limits.memory": only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource`,
    ],
  ],
  [
    "sources of no kind, of two, without names",
    { envFrom: [{}, { configMapRef: { name: "m" }, secretRef: {} }, { prefix: "=", secretRef: { name: "s" } }] },
    [
      /^spec.containers\[0\].envFrom\[2\].prefix: Invalid value: "="/,
      `${at}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
      `${at}.envFrom[1].secretRef.name: Required value`,
      `${at}.envFrom: Invalid value: "": ${several}`,
    ],
  ],
];

const mount = (m: Tree, more: Tree = {}): Tree => ({ volumeMounts: [{ name: "v", mountPath: "/m", ...m }], ...more });
const mounts: readonly Row[] = [
  ["a mount", mount({ subPath: "a/b", mountPropagation: "HostToContainer" }), []],
  ["a mount of nothing", mount({ name: "w" }), [`${at}.volumeMounts[0].name: Not found: "w"`]],
  ["a mount to nowhere", mount({ mountPath: "" }), [`${at}.volumeMounts[0].mountPath: Required value`]],
  [
    "two mounts at one place",
    {
      volumeMounts: [
        { name: "v", mountPath: "/m" },
        { name: "v", mountPath: "/m" },
      ],
    },
    [`${at}.volumeMounts[1].mountPath: Invalid value: "/m": must be unique`],
  ],
  [
    "a mount from the root",
    mount({ subPath: "/a" }),
    [`${at}.volumeMounts.subPath: Invalid value: "/a": must be a relative path`],
  ],
  [
    "a mount from above",
    mount({ subPathExpr: "a/../b" }),
    [`${at}.volumeMounts.subPathExpr: Invalid value: "a/../b": must not contain '..'`],
  ],
  [
    "a mount with a path said twice",
    mount({ subPath: "a", subPathExpr: "b" }),
    [`${at}.volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`],
  ],
  [
    "mounts that go both ways",
    mount({ mountPropagation: "Bidirectional" }),
    [
      `${at}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
    ],
  ],
  [
    "mounts that go both ways, with privilege",
    mount({ mountPropagation: "Bidirectional" }, { securityContext: { privileged: true } }),
    [],
  ],
  [
    "an unknown propagation",
    mount({ mountPropagation: "X" }),
    [
      'spec.containers[0].volumeMounts.mountPropagation: Unsupported value: "X": supported values: "Bidirectional", "HostToContainer", "None"',
    ],
  ],
  ["a mount that is read only all through", mount({ readOnly: true, recursiveReadOnly: "Enabled" }), []],
  [
    "a mount that is read only in parts",
    mount({ recursiveReadOnly: "IfPossible", mountPropagation: "HostToContainer" }),
    [
      `${at}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true`,
      `${at}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified`,
    ],
  ],
  [
    "an unknown recursion",
    mount({ recursiveReadOnly: "X" }),
    [
      `${at}.volumeMounts.recursiveReadOnly: Unsupported value: "X": supported values: "Disabled", "Enabled", "IfPossible"`,
    ],
  ],
  ["a device", { volumeDevices: [{ name: "claim", devicePath: "/dev/x" }] }, []],
  [
    "a device of no claim",
    { volumeDevices: [{ name: "v", devicePath: "/dev/x" }] },
    [
      `${at}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
    ],
  ],
  [
    "a device of nothing",
    { volumeDevices: [{ name: "w", devicePath: "/dev/x" }] },
    [`${at}.volumeDevices[0].name: Not found: "w"`],
  ],
  [
    "a device above",
    { volumeDevices: [{ name: "claim", devicePath: "/dev/../x" }] },
    [`${at}.volumeDevices[0].devicePath: Invalid value: "/dev/../x": can not contain backsteps ('..')`],
  ],
  [
    "a device twice",
    {
      volumeDevices: [
        { name: "claim", devicePath: "/d" },
        { name: "claim", devicePath: "/d" },
      ],
    },
    [
      `${at}.volumeDevices[1].name: Invalid value: "claim": must be unique`,
      `${at}.volumeDevices[1].devicePath: Invalid value: "/d": must be unique`,
    ],
  ],
  [
    "a device that is mounted",
    { volumeDevices: [{ name: "claim", devicePath: "/m" }], volumeMounts: [{ name: "claim", mountPath: "/m" }] },
    [
      `${at}.volumeMounts[0].name: Invalid value: "claim": must not already exist in volumeDevices`,
      `${at}.volumeMounts[0].mountPath: Invalid value: "/m": must not already exist as a path in volumeDevices`,
      `${at}.volumeDevices[0].name: Invalid value: "claim": must not already exist in volumeMounts`,
      `${at}.volumeDevices[0].devicePath: Invalid value: "/m": must not already exist as a path in volumeMounts`,
    ],
  ],
];

const exec = { exec: { command: ["a"] } };
const probes: readonly Row[] = [
  [
    "probes",
    { livenessProbe: exec, readinessProbe: { ...exec, successThreshold: 3 }, startupProbe: { grpc: { port: 1 } } },
    [],
  ],
  ["a probe of nothing", { livenessProbe: {} }, [`${at}.livenessProbe: Required value: must specify a handler type`]],
  [
    "a probe of two things",
    { readinessProbe: { ...exec, grpc: { port: 0 } } },
    [`${at}.readinessProbe.grpc: Forbidden: may not specify more than 1 handler type`],
  ],
  [
    "a probe with a command of nothing",
    { livenessProbe: { exec: {} } },
    [`${at}.livenessProbe.exec.command: Required value`],
  ],
  [
    "a probe with negative numbers",
    {
      livenessProbe: {
        ...exec,
        initialDelaySeconds: -1,
        timeoutSeconds: -1,
        periodSeconds: -1,
        failureThreshold: -1,
        terminationGracePeriodSeconds: 0,
      },
    },
    [
      `${at}.livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0`,
      `${at}.livenessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0`,
      `${at}.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
      `${at}.livenessProbe.failureThreshold: Invalid value: -1: must be greater than or equal to 0`,
      `${at}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
    ],
  ],
  [
    "a liveness that has to be shown twice",
    { livenessProbe: { ...exec, successThreshold: 2 } },
    [`${at}.livenessProbe.successThreshold: Invalid value: 2: must be 1`],
  ],
  [
    "a start that has to be shown twice",
    { startupProbe: { ...exec, successThreshold: 2 } },
    [`${at}.startupProbe.successThreshold: Invalid value: 2: must be 1`],
  ],
  [
    "a readiness that ends it",
    { readinessProbe: { ...exec, terminationGracePeriodSeconds: 1 } },
    [`${at}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`],
  ],
  [
    "a request of no form",
    {
      livenessProbe: {
        httpGet: {
          port: "A--",
          scheme: "ftp",
          httpHeaders: [
            { name: "a b", value: "" },
            { name: "", value: "" },
          ],
        },
      },
    },
    [
      /httpGet.port: Invalid value: "A--": must contain only alpha-numeric/,
      /httpGet.port: Invalid value: "A--": must contain at least one letter/,
      /httpGet.port: Invalid value: "A--": must not contain consecutive hyphens/,
      /httpGet.port: Invalid value: "A--": must not begin or end with a hyphen/,
      `${at}.livenessProbe.httpGet.scheme: Unsupported value: "ftp": supported values: "HTTP", "HTTPS"`,
      "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
    ],
  ],
  [
    "a connection to no port",
    { startupProbe: { tcpSocket: {} } },
    [`${at}.startupProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
  ],
  [
    "a call to no port",
    { startupProbe: { grpc: { port: 70000 } } },
    [`${at}.startupProbe.grpc.port: Invalid value: 70000: must be between 1 and 65535, inclusive`],
  ],
  ["hooks", { lifecycle: { postStart: { httpGet: { port: "web" } }, preStop: { sleep: { seconds: 30 } } } }, []],
  [
    "a hook of nothing",
    { lifecycle: { preStop: {} } },
    [`${at}.lifecycle.preStop: Required value: must specify a handler type`],
  ],
  [
    "a sleep longer than the pod's end",
    { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
    [
      /^spec.containers\[0\].lifecycle.preStop.sleep: Invalid value: 31: must be greater than 0 and less than terminationGracePeriodSeconds \(30\)/,
    ],
  ],
  [
    "no sleep at all",
    { lifecycle: { postStart: { sleep: { seconds: 0 } } } },
    [/postStart.sleep: Invalid value: 0: must be greater than 0 and less/],
  ],
];

const res = (resources: Tree): Tree => ({ resources });
const resources: readonly Row[] = [
  [
    "resources",
    res({
      limits: { cpu: "1", "example.com/gpu": "2", "hugepages-2Mi": "4Mi" },
      requests: { cpu: "500m", memory: "1Gi" },
    }),
    [],
  ],
  [
    "the product's own resources, overcommitted",
    res({ limits: { "kubernetes.io/batch-cpu": "2" }, requests: { "kubernetes.io/batch-cpu": "1" } }),
    [],
  ],
  [
    "an unknown resource",
    res({ limits: { memroy: "1" } }),
    [
      "spec.containers[0].resources.limits[memroy]: Invalid value: memroy: must be a standard resource type or fully qualified",
      "spec.containers[0].resources.limits[memroy]: Invalid value: memroy: must be a standard resource for containers",
      "spec.containers[0].resources.requests[memroy]: Invalid value: memroy: must be a standard resource type or fully qualified",
      "spec.containers[0].resources.requests[memroy]: Invalid value: memroy: must be a standard resource for containers",
    ],
  ],
  [
    "more than its limit",
    res({ limits: { cpu: "1" }, requests: { cpu: "2" } }),
    [`${at}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
  ],
  [
    "a part of a device",
    res({ limits: { "a.b/c": "500m" }, requests: { "a.b/c": "500m" } }),
    [
      `${at}.resources.limits[a.b/c]: Invalid value: "500m": must be an integer`,
      `${at}.resources.requests[a.b/c]: Invalid value: "500m": must be an integer`,
    ],
  ],
  [
    "fewer devices than its limit",
    res({ limits: { "a.b/c": "2" }, requests: { "a.b/c": "1" } }),
    [`${at}.resources.requests: Invalid value: "1": must be equal to a.b/c limit of 2`],
  ],
  [
    "devices without a limit",
    res({ requests: { "a.b/c": "1" } }),
    [`${at}.resources.limits: Required value: Limit must be set for non overcommitable resources`],
  ],
  [
    "pages alone",
    res({ limits: { "hugepages-2Mi": "2Mi" } }),
    [`${at}.resources: Forbidden: HugePages require cpu or memory`],
  ],
  [
    "a part of a page",
    res({ limits: { cpu: "1", "hugepages-2Mi": "3Mi" }, requests: { cpu: "1", "hugepages-2Mi": "3Mi" } }),
    [
      /limits\[hugepages-2Mi\]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi$/,
      /requests\[hugepages-2Mi\]/,
    ],
  ],
  [
    "claims",
    res({
      claims: [
        { name: "g", request: "a" },
        { name: "g", request: "b" },
      ],
    }),
    [],
    { resourceClaims: [{ name: "g", resourceClaimName: "x" }] },
  ],
  [
    "claims of nothing, without a name, twice",
    res({ claims: [{ name: "h" }, { name: "" }, { name: "g" }, { name: "g" }] }),
    [
      `${at}.resources.claims[0]: Not found: "h": must be one of the names in pod.spec.resourceClaims: g`,
      `${at}.resources.claims[1]: Required value`,
      `${at}.resources.claims[3]: Duplicate value: "g"`,
    ],
    { resourceClaims: [{ name: "g", resourceClaimName: "x" }] },
  ],
  [
    "a claim where there is none",
    res({ claims: [{ name: "h" }] }),
    [`${at}.resources.claims[0]: Not found: "h": must be one of the names in pod.spec.resourceClaims which is empty`],
  ],
];

for (const [what, container, wanted, spec] of [...containers, ...environments, ...mounts, ...probes, ...resources]) {
  expectErrors(`a container with ${what}`, wanted, () =>
    createErrors("Pod", { spec: { volumes, containers: [{ ...c, ...container }], ...spec } }),
  );
}

const init = "spec.initContainers[0]";
const inits: readonly Row[] = [
  ["nothing more", {}, []],
  ["the name of another", { name: "c" }, [`${init}.name: Duplicate value: "c"`]],
  [
    "an unknown restart policy",
    { restartPolicy: "Never" },
    [`${init}.restartPolicy: Unsupported value: "Never": supported values: "Always"`],
  ],
  ["probes of a sidecar", { restartPolicy: "Always", livenessProbe: exec, lifecycle: { preStop: exec } }, []],
  [
    "a bad probe of a sidecar",
    { restartPolicy: "Always", livenessProbe: {} },
    [`${init}.livenessProbe: Required value: must specify a handler type`],
  ],
  [
    "what only a sidecar has",
    { lifecycle: { preStop: exec }, livenessProbe: exec, readinessProbe: exec, startupProbe: exec },
    ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].map(
      (name) => `${init}.${name}: Forbidden: may not be set for init containers without restartPolicy=Always`,
    ),
  ],
  ["a port of the host that another takes later", { ports: [{ containerPort: 1, hostPort: 9 }] }, []],
  [
    "resizing",
    { resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] },
    [/^spec.initContainers\[0\].resizePolicy: Invalid value: .*: must not be set for init containers$/],
  ],
];

for (const [what, container, wanted] of inits) {
  expectErrors(`an init container with ${what}`, wanted, () => {
    const first = { ...c, ports: [{ containerPort: 1, hostPort: 9 }] };
    return createErrors("Pod", { spec: { containers: [first], initContainers: [{ ...c, name: "i", ...container }] } });
  });
}
