import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change, Store, Swap } from "@orch/store/store.js";
import { openBed } from "../testing/bed.js";
import { addressObjectsOf, http, inside, local, narrow, node, repairOf, rounds } from "../testing/narrow.js";
import { claimed, inUse, type ServiceClient, serviceClient } from "../testing/services.js";

/** A store as a process sees it that dies now and then: what it waits for then never comes. */
interface Mortal {
  readonly store: Store;
  /** From now on, after so many transactions; settles when it does. */
  dieAfter(transactions: number): Promise<void>;
  /** For what it starts from now on. */
  revive(): void;
}

function mortal(store: Store): Mortal {
  let left = Number.POSITIVE_INFINITY;
  let tell: () => void = () => {};
  const never = new Promise<never>(() => {});
  const living = <T>(run: () => Promise<T>): Promise<T> => {
    if (left > 0) return run();
    tell();
    return never;
  };
  return {
    dieAfter(transactions) {
      left = transactions;
      return new Promise((resolve) => {
        tell = resolve;
      });
    },
    revive() {
      left = Number.POSITIVE_INFINITY;
    },
    store: {
      ...store,
      get: (key) => living(() => store.get(key)),
      range: (query) => living(() => store.range(query)),
      async swap(change: Change): Promise<Swap> {
        const swap = await living(() => {
          left -= 1;
          return store.swap(change);
        });
        return living(async () => swap);
      },
    },
  };
}

type CrashRow = readonly [what: string, before: object | undefined, write: (at: ServiceClient) => Promise<unknown>];

const crashes: readonly CrashRow[] = [
  ["a create", undefined, (at) => at.create("s", local)],
  [
    "a create with numbers that it asks for",
    undefined,
    (at) => at.create("s", { ...node, clusterIP: "10.0.0.3", ports: [{ ...http, nodePort: 30_003 }] }),
  ],
  ["an update that takes", inside, (at) => at.update("s", local)],
  ["an update that gives back", local, (at) => at.update("s", { type: "ExternalName", externalName: "a.b" })],
  ["an update that does both", node, (at) => at.update("s", { ...local, ports: [{ name: "b", port: 81 }] })],
  ["a deletion", local, (at) => at.remove("s")],
];

/** More than any of these writes has. */
const mostTransactions = 8;

for (const [form, rangesAreObjects] of [
  ["", false],
  [", of objects", true],
] as const) {
  for (const [what, before, write] of crashes) {
    test(`${what} whose process dies between any two steps leaves nothing taken once it is repaired${form}`, async (t) => {
      const bed = await openBed(t, "kubernetes");
      const objects = rangesAreObjects ? addressObjectsOf(bed) : undefined;
      const allocation = { ...narrow, rangesAreObjects };
      const other = serviceClient(await bed.start({ allocation, random: Math.random }));
      const process = mortal(bed.store);
      const dying = serviceClient(await bed.start({ store: process.store, allocation }));
      let deaths = 0;
      for (let transactions = 0; transactions < mostTransactions; transactions++) {
        if (before !== undefined) assert.ok((await other.create("s", before)).done);
        const died = process.dieAfter(transactions).then(() => true);
        const lived = !(await Promise.race([write(dying).then(() => false), died]));
        if (!lived) deaths += 1;
        process.revive();
        // Others go on meanwhile and are given nothing twice.
        await Promise.all(["x", "y"].map((name) => other.create(name, node)));
        const used = (await inUse(bed.store, bed.naming)).map((line) => line.split(" ")[0]);
        assert.equal(new Set(used).size, used.length, used.join());
        await rounds(repairOf(bed, [], objects), 4);
        assert.deepEqual(await claimed(bed.store, bed.naming, objects), await inUse(bed.store, bed.naming));
        for (const name of ["s", "x", "y"]) await other.remove(name);
        assert.deepEqual(await claimed(bed.store, bed.naming, objects), []);
        if (lived) break;
      }
      assert.ok(deaths >= 2, `it died ${deaths} times only`);
    });
  }
}

test("a service is given what an earlier write of its name took and did not live to use, once that is surely dead", async (t) => {
  const bed = await openBed(t, "kubernetes");
  let now = 1_000_000;
  const services = serviceClient(await bed.start({ allocation: narrow, now: () => now }));
  const process = mortal(bed.store);
  const dying = serviceClient(await bed.start({ store: process.store, allocation: narrow, now: () => now }));
  const died = process.dieAfter(1);
  const spec = { ...inside, clusterIP: "10.0.0.3" };
  await Promise.race([dying.create("s", spec), died]);
  process.revive();
  assert.deepEqual(await claimed(bed.store, bed.naming), ["10.0.0.3 s"]);
  for (const [name, done, after] of [
    ["s", false, 30_000],
    ["other", false, 1],
    ["s", true, 0],
    ["s", false, 60_000],
  ] as const) {
    assert.equal((await services.create(name, spec)).done, done, `${name} at ${now}`);
    now += after;
  }
  assert.deepEqual(await services.create("s", spec), {
    done: false,
    code: 422,
    problem:
      'Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.3"]: failed to allocate IP 10.0.0.3: provided IP is already allocated',
  });
  assert.ok((await services.remove("s")).done);
  assert.deepEqual(await claimed(bed.store, bed.naming), []);
});
