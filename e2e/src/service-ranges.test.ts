import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { clientOf, isOutage } from "./harness/clients.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const networking = (resource: string): Collection => ({ group: "networking.k8s.io", version: "v1beta1", resource });
const ranges = networking("servicecidrs");
const addresses = networking("ipaddresses");
const services: Collection = { group: "", version: "v1", resource: "services", namespace: "default" };
const spec = { ports: [{ port: 80, protocol: "TCP" }] };

const flags = [
  ...["--feature-gates=MultiCIDRServiceAllocator=true", "--runtime-config=networking.k8s.io/v1beta1=true"],
  "--service-cluster-ip-range=10.96.0.0/29",
];

let target: StandaloneTarget;
let client: Client;
before(async () => {
  target = await startStandalone({ args: flags });
  client = await clientOf(target);
  await until("the root service has its address", () =>
    client.get(addresses, "10.96.0.1").catch(undefinedWhereMissing),
  );
});
after(async () => {
  await client.close();
  await target.stop();
});

function undefinedWhereMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "NotFound") return undefined;
  throw error;
}

const create = (name: string, more: object = {}): Promise<ApiObject> =>
  client.create(services, { metadata: { name }, spec: { ...spec, ...more } });
const clusterIP = ({ spec: of }: ApiObject): unknown => (isRecord(of) ? of["clusterIP"] : undefined);

async function readyOf(name: string): Promise<string | undefined> {
  const object = await client.get(ranges, name).catch(undefinedWhereMissing);
  if (object === undefined) return "gone";
  const status = object["status"];
  const conditions =
    isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready && `${ready["status"]} ${ready["reason"]}`;
}

/** Every address that a service has is an object that names it, and no two services have one. */
async function addressesAreOfServices(): Promise<void> {
  const { items } = await client.list(services);
  const had = items.map((service) => `${clusterIP(service)} ${service.metadata.name}`).sort();
  assert.equal(new Set(had.map((line) => line.split(" ")[0])).size, had.length);
  const objects = new Map((await client.list(addresses)).items.map((object) => [object.metadata.name, object]));
  for (const line of had) {
    const [address = "", service] = line.split(" ");
    assert.deepEqual(objects.get(address)?.["spec"], {
      parentRef: { group: "", resource: "services", namespace: "default", name: service },
    });
  }
}

test("a second range helps when the first is full, and stays while a service has an address of it", async () => {
  for (const name of ["a", "b", "c", "d", "e"]) await create(name);
  await assert.rejects(create("f"), /failed to allocate a serviceIP: range is full/);
  await client.create(ranges, { metadata: { name: "second" }, spec: { cidrs: ["10.97.0.0/24"] } });
  await until("the second range is ready", async () =>
    (await readyOf("second"))?.startsWith("True") ? true : undefined,
  );
  const given = await until("a service has an address of it", () => create("f").catch(() => undefined));
  assert.match(String(clusterIP(given)), /^10\.97\.0\./);
  await assert.rejects(
    create("g", { clusterIP: "10.98.0.1" }),
    /the provided network does not match the current range/,
  );
  await assert.rejects(create("g", { clusterIP: String(clusterIP(given)) }), /provided IP is already allocated/);
  await addressesAreOfServices();
  const made = await client.get(ranges, "second");
  assert.deepEqual(made.metadata["finalizers"], ["networking.k8s.io/service-cidr-finalizer"]);
  await client.delete(ranges, "second");
  await until("it says that it cannot go", async () =>
    (await readyOf("second")) === "False Terminating" ? true : undefined,
  );
  const refused = await until("no further address of it is given", () =>
    create("g").then(
      async () => void (await client.delete(services, "g")),
      (error: unknown) => String(error),
    ),
  );
  assert.match(refused, /range is full/);
  assert.equal(await readyOf("second"), "False Terminating");
  await client.delete(services, "f");
  assert.equal(await client.get(addresses, String(clusterIP(given))).catch(undefinedWhereMissing), undefined);
  await until("it is gone", async () => ((await readyOf("second")) === "gone" ? true : undefined));
});

test("after a kill under load each service has its address, alone, and names can be made again", async () => {
  await client.create(ranges, { metadata: { name: "large" }, spec: { cidrs: ["10.99.0.0/20"] } });
  await until("the large range is used", () => create("first").catch(() => undefined));
  let acknowledged = 0;
  let isCut = false;
  const lane = async (of: number): Promise<void> => {
    for (let i = 0; !isCut; i++) {
      try {
        await create(`load-${of}-${i}`);
        acknowledged += 1;
      } catch (error) {
        if (!isOutage(error)) throw error;
        isCut = true;
      }
    }
  };
  const load = Promise.all([0, 1, 2, 3].map(lane));
  await until("the load has begun", () => (acknowledged > 50 ? true : undefined));
  await target.process.kill();
  await load;
  await target.process.restart();
  await until("addresses are given again", () => create("after").catch(() => undefined));
  await addressesAreOfServices();
  const { items } = await client.list(services);
  assert.ok(items.filter(({ metadata }) => metadata.name?.startsWith("load-")).length >= acknowledged);
});
