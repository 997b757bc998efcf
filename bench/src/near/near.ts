import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startDeliveryAccount } from "../delivery-account.js";
import { prepareWatched } from "../latency.js";
import { once, sleep } from "../load/load.js";
import { nameOf, namespaceOf } from "../many/objects.js";
import type { Timing } from "../runs.js";
import type { Row } from "../table.js";
import { startDistributed, type TargetOptions } from "../targets.js";

const script = fileURLToPath(new URL("../many/fill.js", import.meta.url));
const gateways = 4;
const starts = 3;
const load = { operation: "watch 5,000 events/s", watchers: 100, eventsPerSecond: 5000 };

export interface NearOptions {
  readonly objects: number;
  readonly timing: Timing;
  readonly note: (row: Row) => Row;
  readonly target: TargetOptions;
}

/** Four gateways with near caches: how soon each serves from its own, and how long a change takes to clients of all. */
export async function benchNear({ objects, timing, note, target }: NearOptions): Promise<readonly string[]> {
  const cluster = await startDistributed({ ...target, gateways, near: true });
  try {
    const measure = await prepareWatched(cluster);
    const account = await startDeliveryAccount(cluster);
    const { row, p99AfterAnswer } = await measure(load, timing);
    note(row);
    const told = [
      `near, ${load.operation} to clients of ${gateways} gateways: p99 ${p99AfterAnswer.toFixed(2)} ms after the answer to the ` +
        `writer; from commit to socket ${await account.read()}`,
    ];
    await promisify(execFile)(process.execPath, [script, cluster.etcd.join(","), String(objects)]);
    const last = `/api/v1/namespaces/${namespaceOf(objects - 1)}/configmaps/${nameOf(objects - 1)}?resourceVersion=0`;
    for (const endpoint of cluster.endpoints) {
      while ((await once(endpoint, { method: "GET", path: last })).code !== 200) await sleep(20);
    }
    for (let i = 0; i < starts; i++) {
      const { serving, near } = await cluster.restartGateway();
      told.push(
        `near: a gateway serves ${ms(serving)} ms after its start, from its own ${objects} objects after ${ms(near)} ms`,
      );
    }
    return told;
  } finally {
    await cluster.stop();
  }
}

const ms = (value: number): string => value.toFixed(0);
