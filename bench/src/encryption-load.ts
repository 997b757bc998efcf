import { createHash } from "node:crypto";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { storedResource } from "@orch/api/stored-resource.js";
import { encrypted } from "@orch/encryption/encrypted.js";
import type { KeyProvider } from "@orch/encryption/key-set.js";
import { noPlugins } from "@orch/encryption/plugin-keys.js";
import { createKeyRing } from "@orch/encryption/ring/key-ring.js";
import { registerRingMetrics } from "@orch/encryption/ring/registered-metrics.js";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { watchCacheDefaults } from "@orch/service-watch-cache/config.js";
import { createWatchCache } from "@orch/service-watch-cache/service.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";

// The store of one provider, in a process of its own; prints microseconds of CPU of the whole process.
//   node encryption-load.js write|fill|load <provider> <directory> <objects>
const [what = "load", providerName = "plain", path = "", count = "1000"] = process.argv.slice(2);
const objects = Number(count);

const secret = createHash("sha256").update("bench").digest();
const local = (type: "aescbc" | "aesgcm" | "secretbox"): KeyProvider => ({ type, keys: [{ name: "key1", secret }] });
const annotations = { "version.encryption.example.com": Buffer.from("1") };
const write = { keyId: "key-1", seed: secret, wrapped: Buffer.alloc(60, 1), annotations, type: 1 };
const providers: Readonly<Record<string, KeyProvider>> = {
  aesgcm: local("aesgcm"),
  aescbc: local("aescbc"),
  secretbox: local("secretbox"),
  "kms v2": { type: "kms-v2", name: "plugin", write, why: "" },
};

const naming = createNaming("orch");
const catalog = createLiveCatalog(loadCatalog(naming));
const metrics = createMetrics({ release: "1.32", processMetrics: false });
const opened = await openEmbeddedStore({ path, prefix: naming.storePrefix });

function sealed(store: Store): Store {
  const provider = providers[providerName];
  if (provider === undefined) return store;
  const ring = createKeyRing({
    plugins: noPlugins,
    clock: systemClock,
    metrics: registerRingMetrics(metrics, { serverId: "bench", clock: systemClock }),
  });
  ring.use({ rules: [{ resources: ["*.*"], providers: [provider] }] });
  return encrypted(store, {
    ring,
    resourceAt: (at) => storedResource(catalog.now, at.slice(naming.storePrefix.length)),
  });
}

const store = sealed(opened);
const name = (i: number): string => `cm-${String(i).padStart(6, "0")}`;
function objectOf(i: number): Buffer {
  const metadata = { name: name(i), namespace: "bench", uid: "0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f" };
  const head = { kind: "ConfigMap", apiVersion: "v1", metadata };
  return Buffer.from(JSON.stringify({ ...head, data: { text: "x".repeat(880) } }));
}

/** `inFlight` at a time, from one number on. */
async function put(from: number, to: number, inFlight = 64): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const i = next++;
      const at = key(`${naming.storePrefix}configmaps/bench/${name(i)}`);
      await store.swap({ key: at, expected: noRevision, value: objectOf(i) });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

const microseconds = (begun: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(begun);
  return user + system;
};

if (what === "fill") await put(0, objects);
else if (what === "write") {
  await put(0, objects / 4);
  const begun = process.cpuUsage();
  await put(objects / 4, objects);
  process.stdout.write(`${microseconds(begun) / (objects * 0.75)}\n`);
} else {
  const begun = process.cpuUsage();
  const cache = createWatchCache(watchCacheDefaults, {
    ...{ store, naming, catalog },
    callConversion: () => Promise.reject(new TypeError("no webhook is asked here")),
    log: (text, error) => process.stderr.write(`${text}: ${String(error)}\n`),
    now: () => performance.now(),
    wallClock: Date.now,
    stamp: Date.now,
  });
  await cache.start();
  await cache.loaded();
  process.stdout.write(`${microseconds(begun) / objects}\n`);
  await cache.stop();
}
await store.close();
process.exit(0);
