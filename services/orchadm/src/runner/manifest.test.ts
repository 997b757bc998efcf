import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf, manifestBytes, unitOfManifest } from "./manifest.js";
import { podText } from "./testing/pod.js";

const plain = { name: "etcd", command: ["etcd", "--name=a"] };

test("a manifest says command, environment, user, policy and probe of its unit", () => {
  const text = podText({
    ...plain,
    container: {
      args: ["--data-dir", "/var/lib/etcd"],
      env: [{ name: "A", value: "1" }, { name: "EMPTY" }],
      workingDir: "/srv",
      ports: [{ name: "probe", containerPort: 2381 }],
      livenessProbe: {
        httpGet: { host: "::1", path: "health?x=1", port: "probe", scheme: "HTTPS" },
        ...{ periodSeconds: 10, timeoutSeconds: 15, failureThreshold: 8 },
      },
      startupProbe: { failureThreshold: 24 },
      securityContext: { runAsUser: 1000 },
    },
    spec: {
      restartPolicy: "OnFailure",
      terminationGracePeriodSeconds: 5,
      securityContext: { runAsUser: 1, runAsGroup: 50 },
    },
  });
  assert.deepEqual(unitOfManifest(text), {
    name: "etcd",
    command: "etcd",
    args: ["--name=a", "--data-dir", "/var/lib/etcd"],
    env: { A: "1", EMPTY: "" },
    workingDir: "/srv",
    user: { uid: 1000, gid: 50 },
    restart: "OnFailure",
    stopWithinMs: 5000,
    readiness: {
      url: "https://[::1]:2381/health?x=1",
      periodMs: 10_000,
      timeoutMs: 15_000,
      failures: 8,
      startFailures: 24,
    },
    hash: hashOf(text),
  });
});

test("what a manifest leaves out has the defaults of pods", () => {
  const { hash, ...unit } = unitOfManifest(podText(plain));
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.deepEqual(unit, {
    ...{ name: "etcd", command: "etcd", args: ["--name=a"], env: {} },
    ...{ restart: "Always", stopWithinMs: 30_000 },
  });
});

const refusals: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ["no object", "just a text", /^it is no v1 Pod$/],
  ["another kind", "apiVersion: v1\nkind: Node\n", /^it is no v1 Pod$/],
  ["broken YAML", "a: [", /^yaml: /],
  ["a key twice", `${podText(plain)}kind: Pod\n`, /^key "kind" stands there twice$/],
  ["two documents", `${podText(plain)}---\n${podText(plain)}`, /more than one document/],
  ["too many bytes", `# ${"x".repeat(manifestBytes)}\n`, /larger than/],
  ["no name", podText({ ...plain, name: "" }), /^metadata\.name: Required value$/],
  [
    "a name that leads elsewhere",
    podText({ ...plain, name: "../etcd" }),
    /^metadata\.name: Invalid value: a lowercase/,
  ],
  ["no command", podText({ ...plain, command: [] }), /^spec\.containers\[0\]\.command: Required value/],
  [
    "a command of numbers",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{command: [1]}]}",
    /no list of texts$/,
  ],
  ["a command with NUL", podText({ ...plain, command: ["a", "\0"] }), /no NUL may be in it$/],
  ["two containers", podText({ ...plain, spec: { containers: [{}, {}] } }), /^spec\.containers: .*; it has 2$/],
  ["a container before it", podText({ ...plain, spec: { initContainers: [{}] } }), /^spec\.initContainers/],
  [
    "a value from elsewhere",
    podText({ ...plain, container: { env: [{ name: "A", valueFrom: {} }] } }),
    /env\[0\]\.valueFrom/,
  ],
  [
    "a variable with an equals sign",
    podText({ ...plain, container: { env: [{ name: "A=B", value: "" }] } }),
    /env\[0\]\.name/,
  ],
  [
    "an unknown policy",
    podText({ ...plain, spec: { restartPolicy: "Often" } }),
    /^spec\.restartPolicy: Unsupported value: "Often"/,
  ],
  [
    "a user below zero",
    podText({ ...plain, spec: { securityContext: { runAsUser: -1 } } }),
    /^securityContext\.runAsUser: Invalid value: -1$/,
  ],
  [
    "a probe without a port",
    podText({ ...plain, container: { livenessProbe: { httpGet: {} } } }),
    /httpGet\.port: Invalid value/,
  ],
  ["a probe by command", podText({ ...plain, container: { livenessProbe: { exec: {} } } }), /it has no httpGet$/],
  [
    "a probe of another scheme",
    podText({ ...plain, container: { livenessProbe: { httpGet: { port: 1, scheme: "FILE" } } } }),
    /is no address$/,
  ],
  [
    "a grace without end",
    podText({ ...plain, spec: { terminationGracePeriodSeconds: 1e9 } }),
    /^terminationGracePeriodSeconds/,
  ],
];
for (const [what, text, says] of refusals) {
  test(`refused: ${what}`, () => {
    assert.throws(() => unitOfManifest(text), { name: "ManifestError", message: says });
  });
}
