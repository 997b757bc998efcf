import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import { key } from "@orch/store/revision.js";
import { type Bed, openBed, type Subject, type SubjectOptions } from "../testing/bed.js";
import { addressObjectsOf, narrow, repairOf, rounds } from "../testing/narrow.js";
import { claimed, inUse, type Outcome, type ServiceClient, serviceClient } from "../testing/services.js";

interface Scene {
  readonly bed: Bed;
  readonly subject: Subject;
  readonly services: ServiceClient;
  /** Objects of the networking group, as they are stored. */
  stored(resource: string, name: string): Promise<AnyObject | undefined>;
  addRange(name: string, ...cidrs: readonly string[]): Promise<void>;
  /** Says of one whether it is ready, as the controller does. */
  tellReady(name: string, status: string): Promise<void>;
}

const place = (resource: string) =>
  ({ group: "networking.k8s.io", version: "v1beta1", resource, namespace: "" }) as const;

const small: SubjectOptions["allocation"] = { addresses: [{ address: [10, 0, 0, 0], bits: 29 }] };

async function start(t: TestContext, options: SubjectOptions = {}): Promise<Scene> {
  const bed = await openBed(t, "kubernetes");
  const allocation = { ...(options.allocation ?? small), rangesAreObjects: true };
  const subject = await bed.start({ ...options, allocation });
  const stored = async (resource: string, name: string): Promise<AnyObject | undefined> => {
    const entry = await bed.store.get(key(`${bed.naming.storePrefix}${resource}/${name}`));
    return entry && JSON.parse(entry.value.toString());
  };
  return {
    ...{ bed, subject, services: serviceClient(subject), stored },
    async addRange(name, ...cidrs) {
      await subject.write(place("servicecidrs"), { metadata: { name }, spec: { cidrs } });
    },
    async tellReady(name, status) {
      const object = { ...(await stored("servicecidrs", name)), status: { conditions: [readyIs(status)] } };
      await subject.write({ ...place("servicecidrs"), verb: "update", subresource: "status", name }, object);
    },
  };
}

const readyIs = (status: string) => ({
  ...{ type: "Ready", status, reason: "Test", message: "" },
  lastTransitionTime: "2025-01-01T00:00:00Z",
});
const spec = { ports: [{ port: 80, protocol: "TCP" }] };
const refusal = (name: string, address: string, why: string) =>
  `Service "${name}" is invalid: spec.clusterIPs: Invalid value: ["${address}"]: failed to allocate IP ${address}: ${why}`;

/** Until the mirror has heard: what is tried comes out as wanted. */
async function until(attempt: () => Promise<Outcome>, wanted: (outcome: Outcome) => boolean): Promise<Outcome> {
  for (let tries = 0; tries < 500; tries++) {
    const outcome = await attempt();
    if (wanted(outcome)) return outcome;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return assert.fail("it does not come out as wanted");
}

const isDone = ({ done }: Outcome): boolean => done;

test("the range of the flags is an object, and each address that is taken is one that names its service", async (t) => {
  const { services, stored } = await start(t);
  const made = await services.create("a", spec);
  assert.ok(made.done);
  const address = made.spec.clusterIP ?? "";
  assert.deepEqual((await stored("servicecidrs", "kubernetes"))?.["spec"], { cidrs: ["10.0.0.0/29"] });
  const object = await stored("ipaddresses", address);
  assert.deepEqual(object?.["spec"], {
    parentRef: { group: "", resource: "services", namespace: "default", name: "a" },
  });
  assert.deepEqual(object?.metadata.labels, {
    "ipaddress.kubernetes.io/ip-family": "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  });
  assert.ok((await services.remove("a")).done);
  assert.equal(await stored("ipaddresses", address), undefined);
});

test("a second range is used when the first is full, and not any more when it is not ready", async (t) => {
  const { services, addRange, tellReady } = await start(t);
  for (const name of ["a", "b", "c", "d", "e", "f"]) assert.ok((await services.create(name, spec)).done, name);
  const full = await services.create("g", spec);
  assert.equal(full.done ? "" : full.problem, "Internal error occurred: failed to allocate a serviceIP: range is full");
  await addRange("second", "10.1.0.0/24", "fd00::/64");
  const given = await until(() => services.create("g", spec), isDone);
  // Of the upper part of its range.
  assert.equal(given.done && given.spec.clusterIP, "10.1.0.17");
  await tellReady("second", "False");
  let last = 0;
  const another = () => services.create(`h${++last}`, spec);
  await until(another, (outcome) => !outcome.done && outcome.code === 500);
  await tellReady("second", "True");
  await until(another, isDone);
});

test("an address that lies in no range, or that somebody has, is refused in the reference's words", async (t) => {
  const { bed, services, addRange, subject } = await start(t);
  const ask = (name: string, clusterIP: string) => services.create(name, { ...spec, clusterIP });
  const outside = await ask("a", "10.1.0.3");
  const mismatch = "the provided network does not match the current range";
  assert.equal(outside.done ? "" : outside.problem, refusal("a", "10.1.0.3", mismatch));
  await addRange("second", "10.1.0.0/24");
  await until(() => ask("a", "10.1.0.3"), isDone);
  const taken = await ask("b", "10.1.0.3");
  assert.equal(taken.done ? "" : taken.problem, refusal("b", "10.1.0.3", "provided IP is already allocated"));
  const parentRef = { resource: "services", namespace: "default", name: "c" };
  await subject.write(place("ipaddresses"), { metadata: { name: "10.1.0.4" }, spec: { parentRef } });
  const kept = await ask("c", "10.1.0.4");
  assert.equal(kept.done ? "" : kept.problem, refusal("c", "10.1.0.4", "provided IP is already allocated"));
  // It is its maker's: no repair takes it away.
  const objects = addressObjectsOf(bed);
  await rounds(repairOf(bed, [], objects), 5);
  assert.deepEqual(await claimed(bed.store, bed.naming, objects), ["10.1.0.3 a", "10.1.0.4 "]);
});

test("the whole of a large range of IPv6 may be asked for", async (t) => {
  const addresses = [{ address: [0xfd, ...new Array<number>(15).fill(0)], bits: 112 }];
  const { services, addRange } = await start(t, { allocation: { addresses } });
  await addRange("large", "fd01::/64");
  const clusterIP = "fd01::ffff:ffff:ffff:fffe";
  const made = await until(() => services.create("a", { ...spec, clusterIP }), isDone);
  assert.deepEqual(made.done && made.spec.clusterIPs, [clusterIP]);
  const other = await services.create("b", spec);
  assert.ok(other.done && other.spec.clusterIP?.startsWith("fd0"), JSON.stringify(other));
});

test("a default range that differs from the flags stays as it is, and the log tells of it", async (t) => {
  const bed = await openBed(t, "orch");
  const first = await bed.start();
  const at = { group: "networking.orch", version: "v1beta1", resource: "servicecidrs", namespace: "" };
  await first.write(at, { metadata: { name: "orch" }, spec: { cidrs: ["10.7.0.0/29"] } });
  const told: string[] = [];
  const second = await bed.start({ allocation: { ...small, rangesAreObjects: true }, log: (what) => told.push(what) });
  const made = await serviceClient(second).create("a", spec);
  assert.equal(made.done && made.spec.clusterIP, "10.7.0.1");
  assert.deepEqual(told, ["the default ServiceCIDR [10.7.0.0/29] does not match the flags [10.0.0.0/29]"]);
});

test("services from before there were objects get theirs before any address is given", async (t) => {
  const bed = await openBed(t, "kubernetes");
  const without = serviceClient(await bed.start({ allocation: narrow }));
  for (const name of ["a", "b", "c"]) assert.ok((await without.create(name, spec)).done);
  const told: unknown[] = [];
  const log = (what: string): void => void told.push(what);
  const after = serviceClient(await bed.start({ allocation: { ...narrow, rangesAreObjects: true }, log }));
  assert.ok((await after.create("d", spec)).done);
  assert.deepEqual(await claimed(bed.store, bed.naming, addressObjectsOf(bed)), await inUse(bed.store, bed.naming));
  assert.equal(told.length, 3);
});
