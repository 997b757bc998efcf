/**
 * Field management on a Deployment of 2 KiB and a ConfigMap of 1 KiB: `node services/resource/dist/write/fields/field-management.bench.js`.
 * Prints µs for each, the best of some rounds; the floor is to parse and print the same object as JSON.
 */
import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { applyConfiguration } from "@orch/patch/apply/apply-configuration.js";
import type { FieldWrite } from "@orch/patch/apply/field-write.js";
import { trackUpdate, withEntries } from "@orch/patch/apply/track-update.js";
import { emptySet, fieldSet } from "@orch/patch/fields/field-set.js";
import { complete } from "@orch/schema/complete.js";
import type { JsonObject } from "@orch/schema/descriptor.js";

const catalog = loadCatalog(createNaming("orch"));
// Short rounds: the best of many is one that nothing else of the machine came between.
const rounds = 1500;
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

function known(apiVersion: string, name: string): Kind {
  const kind = catalog.kind(apiVersion, name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}

function write(kind: Kind, manager: string): FieldWrite {
  const status = fieldSet(["status"]);
  return {
    versions: { type: () => kind.type, convert: (object) => object },
    kind: { group: kind.group, kind: kind.kind },
    apiVersion: kind.apiVersion,
    subresource: "",
    manager,
    now: "2026-01-01T00:00:00Z",
    ignored: kind.kind === "Deployment" ? () => status : () => emptySet,
  };
}

const container = (name: string): JsonObject => ({
  name,
  image: `registry.example.com/team/${name}:v1.2.3`,
  ports: [{ containerPort: 8080, name: "http", protocol: "TCP" }],
  env: ["HOME", "LANG", "LEVEL", "REGION"].map((key) => ({ name: key, value: `the value of ${key}` })),
  resources: { limits: { cpu: "500m", memory: "128Mi" }, requests: { cpu: "250m", memory: "64Mi" } },
  livenessProbe: { httpGet: { path: "/healthz", port: "http", scheme: "HTTP" }, periodSeconds: 10 },
  volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
  imagePullPolicy: "IfNotPresent",
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
});

const configuration: JsonObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", labels: { app: "web", tier: "front" } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    template: {
      metadata: { labels: { app: "web", tier: "front" } },
      spec: {
        containers: [container("web"), container("proxy")],
        volumes: [{ name: "config", configMap: { name: "web", defaultMode: 420 } }],
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        schedulerName: "default-scheduler",
        terminationGracePeriodSeconds: 30,
      },
    },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  },
};

const again = (object: JsonObject): JsonObject => JSON.parse(JSON.stringify(object));

const deployments = known("apps/v1", "Deployment");
const user = write(deployments, "user");
const controller = write(deployments, "controller");
const bare = complete(deployments.type, configuration);
const tracked = withEntries(bare, trackUpdate(undefined, bare, user));
const withUid = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), uid: "u" },
});
const applier = { ...write(deployments, "applier"), force: true };
const live = again(withUid(applyConfiguration(tracked, configuration, applier)));
const same = again(live);
const scaled = again({ ...live, spec: { ...(live["spec"] as JsonObject), replicas: 5 } });
const labelled = again({
  ...live,
  metadata: { ...(live["metadata"] as JsonObject), labels: { app: "web", new: "label" } },
});

const configMaps = known("v1", "ConfigMap");
const data = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`setting-${i}`, `${"v".repeat(40)}${i}`]));
const configMap = complete(configMaps.type, {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", namespace: "shop" },
  data,
});
const maker = write(configMaps, "maker");

/** Creates of equal objects, or of objects each with a label of its own. */
function creates(object: JsonObject, by: FieldWrite, { alike }: { readonly alike: boolean }): () => unknown {
  const labelled = (i: number): JsonObject => ({ ...(object["metadata"] as JsonObject), labels: { [`l${i}`]: "web" } });
  const each = Array.from({ length: 20 }, (_, i) => again(alike ? object : { ...object, metadata: labelled(i) }));
  let turn = 0;
  return () => trackUpdate(undefined, each[turn++ % each.length] ?? object, by);
}

const size = (object: JsonObject): number => Buffer.byteLength(JSON.stringify(object));
process.stdout.write(
  `Deployment ${size(bare)} bytes (${size(live)} with managedFields), ConfigMap ${size(configMap)} bytes\n`,
);
const measured = {
  "floor: parse and print the Deployment": micros(() => JSON.stringify(JSON.parse(JSON.stringify(bare)))),
  "update, one field changed": micros(() => trackUpdate(live, scaled, controller)),
  "update, a map changed": micros(() => trackUpdate(live, labelled, controller)),
  "update, nothing changed": micros(() => trackUpdate(live, same, controller)),
  "create of the Deployment, each of another shape": micros(creates(bare, user, { alike: false })),
  "create of the Deployment, all of one shape": micros(creates(bare, user, { alike: true })),
  "create of the ConfigMap, each of another shape": micros(creates(configMap, maker, { alike: false })),
  "create of the ConfigMap, all of one shape": micros(creates(configMap, maker, { alike: true })),
  "apply, nothing changed": micros(() => applyConfiguration(live, configuration, applier)),
  "apply, one field changed": micros(() =>
    applyConfiguration(
      live,
      { ...configuration, spec: { ...(configuration["spec"] as JsonObject), replicas: 7 } },
      applier,
    ),
  ),
  "apply, a field given up": micros(() =>
    applyConfiguration(live, { ...configuration, metadata: { name: "web", labels: { app: "web" } } }, applier),
  ),
};
for (const [name, time] of Object.entries(measured)) {
  process.stdout.write(`${name.padEnd(40)} ${time.toFixed(1).padStart(7)} µs\n`);
}
