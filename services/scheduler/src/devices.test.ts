import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { ApiError } from "@orch/status/api-error.js";
import { createDevices } from "./devices.js";

const naming = createNaming("orch");
const pod = podInfoOf({ metadata: { name: "p", namespace: "default", uid: "u" } });
const allocation = { devices: { results: [{ request: "r", driver: "d", pool: "p", device: "x" }] } };
const plan = { allocate: [{ claim: "default/c", allocation }], reserve: ["default/c"] };
const user = { resource: "pods", name: "p", uid: "u" };
const finalizers = [`resource.${naming.key("delete-protection")}`];

/** A server with one claim, on which the first writes of its status come too late. */
function setup(status: object, conflicts = 0) {
  let left = conflicts;
  let claim: ApiObject = { metadata: { name: "c", namespace: "default" }, status };
  const errors: unknown[] = [];
  const devices = createDevices({
    naming,
    onError: (error) => errors.push(error),
    client: {
      get: async () => claim,
      async update(_, object, { subresource = "" } = {}) {
        if (subresource === "status" && left-- > 0) throw new ApiError("Conflict", "another one was faster");
        claim = object;
        return claim;
      },
    },
  });
  const carryOut = () => devices.carryOut(plan, pod, "n", new AbortController().signal);
  return { devices, carryOut, claim: () => claim, errors };
}

test("a claim is protected, given its devices and reserved for the pod, whoever writes it meanwhile", async () => {
  for (const conflicts of [0, 4]) {
    const { carryOut, claim } = setup({}, conflicts);
    assert.equal(await carryOut(), undefined);
    assert.deepEqual(claim().metadata["finalizers"], finalizers);
    assert.deepEqual(claim()["status"], { allocation, reservedFor: [user] });
  }
});

test("a claim that is never ours, or that somebody else has allocated, fails the binding", async () => {
  assert.equal((await setup({}, 5).carryOut())?.reasons[0], "another one was faster");
  const elsewhere = setup({ allocation: { devices: {} } });
  assert.equal((await elsewhere.carryOut())?.reasons[0], "claim c: it has been allocated elsewhere");
  assert.deepEqual(elsewhere.claim()["status"], { allocation: { devices: {} } });
});

test("a pod more shares a claim that has devices; one that has it already writes nothing", async () => {
  const other = { resource: "pods", name: "o", uid: "o" };
  const shared = setup({ allocation, reservedFor: [other] });
  const reserve = { allocate: [], reserve: ["default/c"] };
  const { signal } = new AbortController();
  assert.equal(await shared.devices.carryOut(reserve, pod, "n", signal), undefined);
  assert.deepEqual(shared.claim()["status"], { allocation, reservedFor: [other, user] });
  const before = shared.claim();
  assert.equal(await shared.devices.carryOut(reserve, pod, "n", signal), undefined);
  assert.equal(shared.claim(), before);
});

test("devices are taken from a claim, with its users", async () => {
  const { devices, claim, errors } = setup({ allocation, reservedFor: [user], devices: [] });
  devices.deallocate("default/c");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(claim()["status"], { devices: [] });
  assert.deepEqual(errors, []);
});

test("selectors are compiled, and what is wrong with one is told", () => {
  const { devices } = setup({});
  const facts = { driver: "d.x", attributes: { size: { string: "big" } }, capacity: {} };
  assert.equal(devices.compileSelector('device.attributes["d.x"].size == "big"')(facts), true);
  assert.throws(() => devices.compileSelector("device.nothing ==")(facts), /^Error: selector "device\.nothing =="/);
});
