import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { invalid } from "@orch/status/api-error.js";
import { assertLinear } from "@orch/status/testing/growth.js";
import { loadCatalog } from "../catalog.js";
import { createKindKit, type Tree } from "../testing/kind-kit.js";
import { validateCreate } from "../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes"), { release: "1.24" }));
const many = <T>(n: number, item: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => item(i));

const container = { name: "c", image: "i" };
const podOf = (spec: Tree): Tree => ({ spec: { containers: [container], ...spec } });
const volumes = (n: number): readonly Tree[] => many(n, (i) => ({ name: `v${i}`, emptyDir: {} }));

/** Lists whose items were compared with all items before them, or with those of another list. */
const creates: readonly (readonly [what: string, kind: string, size: number, tree: (n: number) => Tree])[] = [
  ["containers of a pod", "Pod", 500, (n) => podOf({ containers: many(n, (i) => ({ ...container, name: `c${i}` })) })],
  [
    "containers of a pod and volumes that they mount",
    "Pod",
    300,
    (n) =>
      podOf({
        volumes: volumes(n),
        containers: many(n, (i) => ({
          ...container,
          name: `c${i}`,
          volumeMounts: [{ name: `v${i}`, mountPath: "/a" }],
        })),
      }),
  ],
  [
    "mounts of a container",
    "Pod",
    2000,
    (n) =>
      podOf({
        volumes: volumes(n),
        containers: [{ ...container, volumeMounts: many(n, (i) => ({ name: `v${i}`, mountPath: `/m${i}` })) }],
      }),
  ],
  [
    "ports of a container",
    "Pod",
    2000,
    (n) => podOf({ containers: [{ ...container, ports: many(n, (i) => ({ name: `p${i}`, containerPort: 80 })) }] }),
  ],
  [
    "containers for debugging that name others",
    "Pod",
    300,
    (n) =>
      podOf({
        containers: many(n, (i) => ({ ...container, name: `c${i}` })),
        ephemeralContainers: many(n, (i) => ({ ...container, name: `e${i}`, targetContainerName: `c${i}` })),
      }),
  ],
  [
    "claims that containers use",
    "Pod",
    300,
    (n) =>
      podOf({
        resourceClaims: many(n, (i) => ({ name: `r${i}`, resourceClaimName: "a" })),
        containers: many(n, (i) => ({ ...container, name: `c${i}`, resources: { claims: [{ name: `r${i}` }] } })),
      }),
  ],
  [
    "constraints of topology",
    "Pod",
    1000,
    (n) =>
      podOf({
        topologySpreadConstraints: many(n, (i) => ({
          maxSkew: 1,
          topologyKey: `a.io/k${i}`,
          whenUnsatisfiable: "DoNotSchedule",
        })),
      }),
  ],
  [
    "kernel settings",
    "Pod",
    2000,
    (n) => podOf({ securityContext: { sysctls: many(n, (i) => ({ name: `a.b${i}`, value: "1" })) } }),
  ],
  [
    "annotations about containers",
    "Pod",
    500,
    (n) => ({
      metadata: {
        annotations: Object.fromEntries(
          many(n, (i) => [`container.apparmor.security.beta.kubernetes.io/c${i}`, "unconfined"]),
        ),
      },
      spec: { containers: many(n, (i) => ({ ...container, name: `c${i}` })) },
    }),
  ],
  [
    "usages of a certificate",
    "certificates.k8s.io/v1.CertificateSigningRequest",
    2000,
    (n) => ({ spec: { request: "YQ==", signerName: "a.io/b", usages: many(n, (i) => `u${i}`) } }),
  ],
  [
    "names of kernel settings that policies allow and forbid",
    "policy/v1beta1.PodSecurityPolicy",
    500,
    (n) => ({
      spec: {
        seLinux: { rule: "RunAsAny" },
        runAsUser: { rule: "RunAsAny" },
        supplementalGroups: { rule: "RunAsAny" },
        fsGroup: { rule: "RunAsAny" },
        allowedUnsafeSysctls: many(n, (i) => `a.b${i}.*`),
        forbiddenSysctls: many(n, (i) => `a.c${i}.*`),
        requiredDropCapabilities: many(n, (i) => `A${i}`),
        allowedCapabilities: many(n, (i) => `B${i}`),
      },
    }),
  ],
  [
    "scopes and amounts of a quota",
    "ResourceQuota",
    500,
    (n) => ({
      spec: {
        hard: Object.fromEntries(many(n, (i) => [`a.io/r${i}`, "1"])),
        scopeSelector: { matchExpressions: many(n, (i) => ({ scopeName: `S${i}`, operator: "Exists" })) },
      },
    }),
  ],
];

for (const [what, kind, size, tree] of creates) {
  test(`${what} cost as much as they are`, () => {
    assertLinear(4 * size, (n) => {
      const given = tree(n);
      return () => kit.createErrors(kind, given);
    });
  });
}

test("tolerations of a pod are compared with those before in one go", () => {
  const tolerations = (n: number): Tree =>
    podOf({ tolerations: many(n, (i) => ({ key: `k${i}`, operator: "Exists", effect: "NoSchedule" })) });
  assertLinear(4000, (n) => () => assert.deepEqual(kit.updateErrors("Pod", tolerations(n), tolerations(n)), []));
});

test("a path or bundle that begins again and again and never ends costs as much as it is long", () => {
  const fieldPath = (text: string): Tree =>
    podOf({ containers: [{ ...container, env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: text } } }] }] });
  assertLinear(20_000, (n) => () => kit.createErrors("Pod", fieldPath(`a${"['".repeat(n)}`)));
  const bundle = (n: number): Tree => ({
    webhooks: [
      {
        name: "a.b.io",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        clientConfig: {
          url: "https://a",
          caBundle: Buffer.from("-----BEGIN CERTIFICATE-----".repeat(n)).toString("base64"),
        },
      },
    ],
  });
  const kind = "admissionregistration.k8s.io/v1.ValidatingWebhookConfiguration";
  assertLinear(12_000, (n) => {
    const given = bundle(n);
    return () => kit.createErrors(kind, given);
  });
});

test("names of kernel settings overlap as they did", () => {
  const errors = kit.createErrors("policy/v1beta1.PodSecurityPolicy", {
    spec: {
      seLinux: { rule: "RunAsAny" },
      runAsUser: { rule: "RunAsAny" },
      supplementalGroups: { rule: "RunAsAny" },
      fsGroup: { rule: "RunAsAny" },
      allowedUnsafeSysctls: ["a.b", "c.*", "d.e", "f.*"],
      forbiddenSysctls: ["c.x", "a.b", "d.*", "f.*", "g"],
    },
  });
  assert.deepEqual(errors, [
    'spec.allowedUnsafeSysctls[0]: Invalid value: "a.b": sysctl overlaps with a.b',
    'spec.forbiddenSysctls[0]: Invalid value: "c.x": sysctl overlaps with c.*',
    'spec.allowedUnsafeSysctls[2]: Invalid value: "d.e": sysctl overlaps with d.*',
    'spec.allowedUnsafeSysctls[3]: Invalid value: "f.*": sysctl overlaps with f.*',
  ]);
});

test("of half a million finalizers, containers or addresses that are wrong not all are looked at", () => {
  for (const [kind, tree] of [
    ["ConfigMap", { metadata: { finalizers: many(500_000, () => "") } }],
    ["Pod", { spec: { containers: many(200_000, () => ({})) } }],
    ["Service", { spec: { ports: [{ port: 80 }], clusterIPs: many(200_000, () => "x"), clusterIP: "x" } }],
  ] as const) {
    const of = kit.kind(kind);
    const errors = validateCreate(of, kit.created(kind, tree));
    assert.ok(errors.length >= 10_000);
    assert.ok(JSON.stringify(invalid({ group: "", kind }, "x", errors).toStatus()).length < 600_000);
  }
});
