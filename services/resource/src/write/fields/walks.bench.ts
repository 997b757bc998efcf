/**
 * The walks over a descriptor, of built-in kinds and of a custom one: `node services/resource/dist/write/fields/walks.bench.js`.
 * Prints µs for each, the best of some rounds.
 */
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { complete } from "@orch/schema/complete.js";
import { decode } from "@orch/schema/decode.js";
import { applyDefaults } from "@orch/schema/defaults.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import { equal } from "@orch/schema/equal.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import { widget, widgetSchema } from "@orch/schema/testing/widget.js";
import { validate } from "@orch/schema/validate.js";

const rounds = 600;
const calls = 20;

function micros(work: () => unknown): number {
  for (let i = 0; i < 3000; i++) work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    best = Math.min(best, ((performance.now() - start) / calls) * 1000);
  }
  return best;
}

const catalog = loadCatalog(createNaming("orch"));

function typeOf(apiVersion: string, name: string): MessageType {
  const kind = catalog.kind(apiVersion, name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind.type;
}

const container = (name: string): JsonObject => ({
  name,
  image: `registry.example.com/team/${name}:v1.2.3`,
  ports: [{ containerPort: 8080, name: "http" }],
  env: ["HOME", "LANG", "LEVEL", "REGION"].map((key) => ({ name: key, value: `the value of ${key}` })),
  resources: { limits: { cpu: "500m", memory: "128Mi" }, requests: { cpu: "250m", memory: "64Mi" } },
  livenessProbe: { httpGet: { path: "/healthz", port: "http" }, periodSeconds: 10 },
  volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
});
const podSpec: JsonObject = {
  containers: [container("web"), container("proxy")],
  volumes: [{ name: "config", configMap: { name: "web" } }],
  tolerations: [{ key: "a", operator: "Exists" }],
};
const metadata: JsonObject = { name: "web", namespace: "shop", labels: { app: "web" } };
const data = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`setting-${i}`, `${"v".repeat(40)}${i}`]));

const objects: readonly (readonly [string, MessageType, JsonObject])[] = [
  ["ConfigMap", typeOf("v1", "ConfigMap"), { metadata, data }],
  ["Pod", typeOf("v1", "Pod"), { metadata, spec: podSpec }],
  [
    "Deployment",
    typeOf("apps/v1", "Deployment"),
    {
      metadata,
      spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template: { metadata, spec: podSpec } },
    },
  ],
  [
    "Widget (custom)",
    widget,
    {
      metadata,
      spec: {
        size: 3,
        name: "abc",
        tags: ["a", "b", "c", "d"],
        ports: Array.from({ length: 8 }, (_, i) => ({ port: i, note: "a note of a port" })),
        opts: {},
        any: { x: [{ y: 1 }], known: { x: 1 } },
        emb: { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec },
        when: "2026-01-01T00:00:00Z",
        either: { a: "1" },
      },
    },
  ],
];

const print = (what: string, time: number): void => {
  process.stdout.write(`${what.padEnd(40)} ${time.toFixed(2).padStart(8)} µs\n`);
};

for (const [name, type, object] of objects) {
  const decoded = decode(type, object).value;
  const full = applyDefaults(type, decoded);
  const again: JsonObject = JSON.parse(JSON.stringify(full));
  const whole = `${name}, ${Buffer.byteLength(JSON.stringify(full))} bytes: `;
  print(
    `${whole}decode`,
    micros(() => decode(type, object)),
  );
  print(
    `${whole}default`,
    micros(() => applyDefaults(type, decoded)),
  );
  print(
    `${whole}validate`,
    micros(() => validate(type, full)),
  );
  print(
    `${whole}complete`,
    micros(() => complete(type, full)),
  );
  print(
    `${whole}equal`,
    micros(() => equal(type, full, again)),
  );
}
print(
  "compile the schema of the Widget",
  micros(() => compileSchema(widgetSchema, { name: "Widget" })),
);
