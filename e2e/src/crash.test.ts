import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@orch/client/http/http.js";
import { listAll } from "@orch/client/list-all.js";
import { createReflector } from "@orch/client/reflector.js";
import { watch } from "@orch/client/watch.js";
import { clientOf, clock, isOutage } from "./harness/clients.js";
import { contentOf, numberOf } from "./harness/content.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const crashes = 20;
const lanes = 6;
const namesPerLane = 8;
const collection = { group: "", version: "v1", resource: "configmaps", namespace: "default" };

/** What a lane knows of one of its names: the state that was acknowledged, and one that may have come after it. */
interface Known {
  readonly n: number | undefined;
  readonly version: string | undefined;
  /** Of a write whose answer was cut: `undefined` inside for a deletion. */
  readonly maybe?: { readonly n: number | undefined };
}

const absent: Known = { n: undefined, version: undefined };

let target: StandaloneTarget;
before(async () => {
  target = await startStandalone({ dialect: "orch" });
});
after(() => target.stop());

test(`after each of ${crashes} kills at random moments under load every acknowledged write is there, whole`, async (t) => {
  const client = await clientOf(target);
  const abort = new AbortController();
  const following = createReflector({ client, collection, clock, random: Math.random });
  const run = following.run(abort.signal);
  t.after(async () => {
    abort.abort();
    await run;
    await client.close();
  });
  const known = new Map<string, Known>();
  let unclear = 0;
  for (let crash = 1; crash <= crashes; crash++) {
    const load = startLoad(known);
    const enough = 20 + Math.random() * 300;
    await Promise.race([
      load.ended,
      until("the load has begun", () => (load.acknowledged() > enough ? true : undefined)),
    ]);
    await delay(Math.random() * 20);
    load.expectCut();
    await target.process.kill();
    await load.ended;
    await target.process.restart();
    unclear += [...known.values()].filter((k) => k.maybe !== undefined).length;
    await verify(client, known);
  }
  assert.ok(unclear > 0, "no write was ever cut: the kills came in pauses");
  const final = await listAll(client, collection);
  await until("the reflector's mirror is the list", () => {
    const mirrored = [...following.store.values()].map(identity).sort();
    return mirrored.join() === final.items.map(identity).sort().join() ? true : undefined;
  });
});

test("after a crash watches go on from a fresh list, and from versions before it", async () => {
  const client = await clientOf(target);
  const before = await client.create(collection, { metadata: { name: "before" } });
  await target.process.kill();
  await target.process.restart();
  const { resourceVersion } = await client.list(collection);
  const made = await client.create(collection, { metadata: { name: "after" } });
  const versions = async (from: string, count: number): Promise<readonly (string | undefined)[]> => {
    const found: (string | undefined)[] = [];
    for await (const { type, object } of watch(client, collection, { resourceVersion: from })) {
      if (type !== "BOOKMARK") found.push(`${type} ${object.metadata.resourceVersion}`);
      if (found.length === count) break;
    }
    return found;
  };
  const added = `ADDED ${made.metadata.resourceVersion}`;
  assert.deepEqual(await versions(resourceVersion, 1), [added]);
  const older = String(Number(before.metadata.resourceVersion) - 1);
  assert.deepEqual(await versions(older, 2), [`ADDED ${before.metadata.resourceVersion}`, added]);
  await client.close();
});

/** Several connections that create, change and delete names of their own until the server is gone. */
function startLoad(known: Map<string, Known>) {
  let acknowledged = 0;
  let cutExpected = false;
  const lane = async (id: number): Promise<void> => {
    const client = await clientOf(target);
    try {
      for (;;) {
        const name = `lane-${id}-${Math.floor(Math.random() * namesPerLane)}`;
        const state = known.get(name) ?? absent;
        const remove = state.n !== undefined && Math.random() < 0.2;
        const n = remove ? undefined : Math.floor(Math.random() * 1e9);
        known.set(name, { ...state, maybe: { n } });
        known.set(name, await write(client, { name, n, state }));
        acknowledged += 1;
      }
    } catch (error) {
      if (!cutExpected || !isOutage(error)) throw error;
    } finally {
      await client.close();
    }
  };
  return {
    /** Settles when the last connection is cut. */
    ended: Promise.all(Array.from({ length: lanes }, (_, id) => lane(id))),
    acknowledged: () => acknowledged,
    /** From now on the end of the server is no failure. */
    expectCut() {
      cutExpected = true;
    },
  };
}

async function write(
  client: Client,
  what: { readonly name: string; readonly n: number | undefined; readonly state: Known },
): Promise<Known> {
  const { name, n, state } = what;
  if (n === undefined) {
    await client.delete(collection, name);
    return absent;
  }
  const metadata = { name, ...(state.version === undefined ? {} : { resourceVersion: state.version }) };
  const object = { metadata, data: { ...contentOf(n, 50 + (n % 20_000)) } };
  const done =
    state.n === undefined ? await client.create(collection, object) : await client.update(collection, object);
  return { n, version: done.metadata.resourceVersion };
}

/** Compares what is stored with what is known; from then on the stored state is the known one. */
async function verify(client: Client, known: Map<string, Known>): Promise<void> {
  const { items } = await listAll(client, collection);
  const stored = new Map(items.map((object) => [object.metadata.name ?? "", object]));
  for (const [name, { n, version, maybe }] of known) {
    const object = stored.get(name);
    const found = object === undefined ? undefined : numberOf(object);
    if (maybe === undefined || found === n) {
      assert.equal(found, n, `${name} after a crash`);
      assert.equal(object?.metadata.resourceVersion, version, `${name} after a crash`);
    } else assert.equal(found, maybe.n, `${name} after a crash: neither the acknowledged state nor the cut one`);
    known.set(name, { n: found, version: object?.metadata.resourceVersion });
    stored.delete(name);
  }
  assert.deepEqual([...stored.keys()], [], "objects that nobody created");
}

const identity = ({ metadata }: { readonly metadata: { readonly name?: string; readonly resourceVersion?: string } }) =>
  `${metadata.name}@${metadata.resourceVersion}`;
