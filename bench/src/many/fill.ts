import { createNaming } from "@orch/naming/naming.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { key, noRevision } from "@orch/store/revision.js";
import { nameOf, namespaceOf, picked } from "./objects.js";

// Writes ConfigMaps of 0.5 KB into an embedded store or etcd, without a server: `node fill.js <directory|endpoints> <objects>`.

const [path = "", count = "1000"] = process.argv.slice(2);
const objects = Number(count);
const naming = createNaming("orch");
const prefix = naming.storePrefix;
const store = path.startsWith("http")
  ? await openEtcdStore({ endpoints: path.split(","), prefix })
  : await openEmbeddedStore({ path, prefix });
const atOnce = 512;

function objectOf(i: number): Buffer {
  const labels = i % Math.ceil(objects / picked) === 0 ? { app: "bench", pick: "me" } : { app: "bench" };
  const metadata = { name: nameOf(i), namespace: namespaceOf(i), uid: "0f0f0f0f-0f0f-0f0f-0f0f-0f0f0f0f0f0f", labels };
  const text = "x".repeat(290);
  return Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data: { text } }));
}

let next = 0;
async function worker(): Promise<void> {
  while (next < objects) {
    const i = next++;
    const at = key(`${naming.storePrefix}configmaps/${namespaceOf(i)}/${nameOf(i)}`);
    await store.swap({ key: at, expected: noRevision, value: objectOf(i) });
  }
}
await Promise.all(Array.from({ length: atOnce }, worker));
await store.close();
