import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming, type Dialect, type Naming } from "@orch/naming/naming.js";
import { openBed, type Subject } from "../../testing/bed.js";
import { withTokenMounted } from "./token-volume.js";

const none: ReadonlySet<string> = new Set();

interface Pods extends Subject {
  readonly naming: Naming;
  /** An account of the namespace `default`. */
  account(name: string, more?: object): Promise<void>;
  /** The stored pod; `more` is of its spec. */
  pod(more?: object, metadata?: object): Promise<AnyObject>;
}

async function start(t: TestContext, dialect: Dialect = "kubernetes"): Promise<Pods> {
  const bed = await openBed(t, dialect);
  const subject = await bed.start({ disabledAdmissionPlugins: none });
  const { write, read } = subject;
  return {
    ...subject,
    naming: bed.naming,
    async account(name, more = {}) {
      await write({ resource: "serviceaccounts" }, { metadata: { name }, ...more });
    },
    async pod(more = {}, metadata = {}) {
      const spec = { containers: [{ name: "c", image: "i" }], ...more };
      return read(await write({ resource: "pods" }, { metadata: { name: "p", ...metadata }, spec }));
    },
  };
}

const words = {
  orch: { volume: "orch-api-access-bbbbb", path: "/var/run/secrets/orch/serviceaccount", ca: "orch-root-ca.crt" },
  kubernetes: {
    volume: "kube-api-access-bbbbb",
    path: "/var/run/secrets/kubernetes.io/serviceaccount",
    ca: "kube-root-ca.crt",
  },
};

for (const dialect of ["orch", "kubernetes"] as const) {
  test(`a pod is given the usual account and its token in every container, in ${dialect}`, async (t) => {
    const { account, pod } = await start(t, dialect);
    await account("default", { imagePullSecrets: [{ name: "registry" }] });
    const { volume, path, ca } = words[dialect];
    const { spec, metadata } = await pod({
      initContainers: [{ name: "first", image: "i" }],
      containers: [
        { name: "plain", image: "i" },
        { name: "own", image: "i", volumeMounts: [{ name: "mine", mountPath: path }] },
        { name: "more", image: "i", volumeMounts: [{ name: "mine", mountPath: "/mine" }] },
      ],
      volumes: [{ name: "mine", emptyDir: {} }],
    });
    const stored: PodSpecSeen = Object(spec);
    const mount = { name: volume, readOnly: true, mountPath: path };
    assert.equal(stored.serviceAccountName, "default");
    assert.equal(stored.serviceAccount, "default");
    assert.deepEqual(stored.imagePullSecrets, [{ name: "registry" }]);
    assert.deepEqual(stored.initContainers?.[0]?.volumeMounts, [mount]);
    assert.deepEqual(
      stored.containers?.map((c) => c.volumeMounts),
      [[mount], [{ name: "mine", mountPath: path }], [{ name: "mine", mountPath: "/mine" }, mount]],
    );
    assert.deepEqual(stored.volumes, [
      { name: "mine", emptyDir: {} },
      {
        name: volume,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: ca, items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ]);
    // Whoever made the pod did not ask for this.
    const owned = JSON.stringify(metadata.managedFields);
    assert.ok(owned.includes("mine") && !owned.includes(volume) && !owned.includes("f:imagePullSecrets"), owned);
  });
}

interface PodSpecSeen {
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly imagePullSecrets?: unknown;
  readonly volumes?: readonly { readonly name: string }[];
  readonly containers?: readonly { readonly volumeMounts?: readonly unknown[] }[];
  readonly initContainers?: readonly { readonly volumeMounts?: readonly unknown[] }[];
}

const mounts: readonly (readonly [of: boolean | undefined, pod: boolean | undefined, mounted: boolean])[] = [
  [undefined, undefined, true],
  [false, undefined, false],
  [true, undefined, true],
  [false, true, true],
  [true, false, false],
];
test("a pod's word on its token counts more than its account's", async (t) => {
  const { account, pod } = await start(t);
  for (const [i, [ofAccount, ofPod, mounted]] of mounts.entries()) {
    await account(`a${i}`, ofAccount === undefined ? {} : { automountServiceAccountToken: ofAccount });
    const word = ofPod === undefined ? {} : { automountServiceAccountToken: ofPod };
    const { spec } = await pod({ serviceAccountName: `a${i}`, ...word }, { name: `p${i}` });
    const { volumes = [] }: PodSpecSeen = Object(spec);
    assert.equal(volumes.length, mounted ? 1 : 0, `account ${ofAccount}, pod ${ofPod}`);
  }
});

test("a pod's own secrets for images stay", async (t) => {
  const { account, pod } = await start(t);
  await account("default", { imagePullSecrets: [{ name: "registry" }] });
  const { spec } = await pod({ imagePullSecrets: [{ name: "own" }] });
  const { imagePullSecrets }: PodSpecSeen = Object(spec);
  assert.deepEqual(imagePullSecrets, [{ name: "own" }]);
});

test("a volume that is there already is used, and none is added that nothing needs", () => {
  const naming = createNaming("kubernetes");
  const deps = { naming, newName: (prefix: string) => `${prefix}new` };
  const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
  const mounted = { name: "c", volumeMounts: [{ name: "x", mountPath }] };
  assert.deepEqual(withTokenMounted({ containers: [mounted] }, deps), { containers: [mounted] });
  const volumes = [{ name: "kube-api-access" }, { name: "kube-api-access-abcde" }];
  const mount = { name: "kube-api-access-abcde", readOnly: true, mountPath };
  assert.deepEqual(withTokenMounted({ volumes, containers: [{ name: "c" }] }, deps), {
    volumes,
    containers: [{ name: "c", volumeMounts: [mount] }],
  });
});

test("containers for debugging are given no token", async (t) => {
  const { account, pod, write, read } = await start(t);
  await account("default");
  const made = await pod();
  const spec = {
    ...Object(made["spec"]),
    ephemeralContainers: [{ name: "d", image: "i", terminationMessagePolicy: "File" }],
  };
  const at = { resource: "pods", name: "p", subresource: "ephemeralcontainers", verb: "update" } as const;
  const after: { readonly ephemeralContainers?: readonly { readonly volumeMounts?: unknown }[] } = Object(
    read(await write(at, { metadata: { name: "p" }, spec }))["spec"],
  );
  assert.equal(after.ephemeralContainers?.length, 1);
  assert.equal(after.ephemeralContainers?.[0]?.volumeMounts, undefined);
});

test("a pod of an account that is not there is refused", async (t) => {
  const { pod } = await start(t);
  await assert.rejects(pod({ serviceAccountName: "none" }), {
    code: 403,
    message: 'pods "p" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
  });
});

test("a pod that comes before its namespace's usual account waits for it, for some time", async (t) => {
  const { account, pod } = await start(t);
  const waiting = pod();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await account("default");
  assert.equal((await waiting).metadata.name, "p");
});

test("a pod of a namespace that has no usual account is refused in the end", async (t) => {
  const { pod } = await start(t);
  await assert.rejects(pod({}, { name: undefined, generateName: "g-" }), {
    code: 403,
    message:
      'pods "g-bbbbb" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
  });
});

test("an update of a pod asks for no account", async (t) => {
  const { account, pod, write, read } = await start(t);
  await account("default");
  const made = await pod();
  await write({ resource: "serviceaccounts", verb: "delete", name: "default" });
  const changed = { ...made, metadata: { ...made.metadata, labels: { a: "b" } } };
  const after = read(await write({ resource: "pods", name: "p", verb: "update" }, changed));
  assert.deepEqual(after.metadata.labels, { a: "b" });
});

const env = (name: string) => [{ name: "E", valueFrom: { secretKeyRef: { name, key: "k" } } }];
const container = (more: object) => [{ name: "c", image: "i", ...more }];
const first = (more: object) => [{ name: "i", image: "i", ...more }];
const because = "is not allowed because service account strict does not reference that";
const uses: readonly (readonly [object, string | undefined])[] = [
  [
    { containers: container({ env: env("listed") }), volumes: [{ name: "v", secret: { secretName: "listed" } }] },
    undefined,
  ],
  [{ volumes: [{ name: "v", secret: { secretName: "x" } }] }, `volume with secret.secretName="x" ${because} secret`],
  [
    { initContainers: first({ env: env("x") }) },
    `init container i with envVar E referencing secret.secretName="x" ${because} secret`,
  ],
  [
    { initContainers: first({ envFrom: [{ secretRef: { name: "x" } }] }) },
    `init container i with envFrom referencing secret.secretName="x" ${because} secret`,
  ],
  [
    { containers: container({ env: env("x") }) },
    `container c with envVar E referencing secret.secretName="x" ${because} secret`,
  ],
  [
    { containers: container({ envFrom: [{ secretRef: { name: "x" } }] }) },
    `container c with envFrom referencing secret.secretName="x" ${because} secret`,
  ],
  [{ imagePullSecrets: [{ name: "pull" }] }, undefined],
  [{ imagePullSecrets: [{ name: "listed" }] }, `imagePullSecrets[0].name="listed" ${because} imagePullSecret`],
];
test("an account may say that its pods use the secrets alone that it lists", async (t) => {
  const { account, pod } = await start(t);
  const lists = { secrets: [{ name: "listed" }], imagePullSecrets: [{ name: "pull" }] };
  const annotated = (value: string) => ({
    metadata: { name: "strict", annotations: { "kubernetes.io/enforce-mountable-secrets": value } },
  });
  await account("strict", { ...lists, ...annotated("true") });
  await account("lax", { ...lists, metadata: { ...annotated("yes").metadata, name: "lax" } });
  for (const [i, [spec, why]] of uses.entries()) {
    const strict = pod({ ...spec, serviceAccountName: "strict" }, { name: `s${i}` });
    if (why === undefined) await strict;
    else await assert.rejects(strict, { code: 403, message: `pods "s${i}" is forbidden: ${why}` });
    await pod({ ...spec, serviceAccountName: "lax" }, { name: `l${i}` });
  }
  const made = await pod({ serviceAccountName: "strict" });
  assert.ok(made);
});

test("containers for debugging keep to the listed secrets as well", async (t) => {
  const { account, pod, write } = await start(t);
  const annotations = { "kubernetes.io/enforce-mountable-secrets": "true" };
  await account("strict", { metadata: { name: "strict", annotations }, secrets: [{ name: "listed" }] });
  const made = await pod({ serviceAccountName: "strict" });
  const debug = (secret: string) => {
    const ephemeralContainers = [{ name: "d", image: "i", env: env(secret), terminationMessagePolicy: "File" }];
    const at = { resource: "pods", name: "p", subresource: "ephemeralcontainers", verb: "update" } as const;
    return write(at, { metadata: { name: "p" }, spec: { ...Object(made["spec"]), ephemeralContainers } });
  };
  await assert.rejects(debug("x"), {
    code: 403,
    message: `pods "p" is forbidden: ephemeral container d with envVar E referencing secret.secretName="x" ${because} secret`,
  });
  assert.equal((await debug("listed")).code, 200);
});

const mirrorRefusals: readonly (readonly [object, string])[] = [
  [{ serviceAccountName: "default" }, "a mirror pod may not reference service accounts"],
  ...[
    { imagePullSecrets: [{ name: "x" }] },
    { containers: container({ env: env("x") }) },
    { initContainers: first({ envFrom: [{ secretRef: { name: "x" } }] }) },
    { volumes: [{ name: "v", secret: { secretName: "x" } }] },
    { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "x" } }] } }] },
    { volumes: [{ name: "v", azureFile: { secretName: "x", shareName: "s" } }] },
    { volumes: [{ name: "v", csi: { driver: "d.example.com", nodePublishSecretRef: { name: "x" } } }] },
    {
      volumes: [
        {
          name: "v",
          iscsi: { targetPortal: "t", iqn: "iqn.2015-02.example.com:test", lun: 0, secretRef: { name: "x" } },
        },
      ],
    },
  ].map((spec) => [spec, "a mirror pod may not reference secrets"] as const),
  [
    { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }] },
    "a mirror pod may not use ServiceAccountToken volume projections",
  ],
];
test("a mirror pod is left as it is, and has neither account nor secrets", async (t) => {
  const { pod } = await start(t);
  const annotations = { "kubernetes.io/config.mirror": "m" };
  const made = await pod({ nodeName: "n" }, { annotations });
  const { serviceAccountName, volumes }: PodSpecSeen = Object(made["spec"]);
  assert.deepEqual([serviceAccountName, volumes], [undefined, undefined]);
  for (const [spec, why] of mirrorRefusals) {
    const refused = pod({ nodeName: "n", ...spec }, { name: "q", annotations });
    await assert.rejects(refused, { code: 403, message: `pods "q" is forbidden: ${why}` }, JSON.stringify(spec));
  }
});

test("without the plugin a pod is as it was written", async (t) => {
  const bed = await openBed(t, "kubernetes");
  const { write, read } = await bed.start({ disabledAdmissionPlugins: new Set(["ServiceAccount"]) });
  const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  const { serviceAccountName, volumes }: PodSpecSeen = Object(read(await write({ resource: "pods" }, body))["spec"]);
  assert.deepEqual([serviceAccountName, volumes], [undefined, undefined]);
});
