import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import type { BalancedService } from "../service-lb/decide-balancer.js";
import { balancersSuite } from "./balancers.suite.js";
import { createSimulatedBalancers } from "./simulated-balancers.js";

const ranges = (...texts: readonly string[]) => texts.flatMap((text) => parseNetwork(text) ?? []);
const { signal } = new AbortController();
const service = (uid: string, ipFamilies: readonly string[] = ["IPv4"], ip?: string): BalancedService => ({
  metadata: { name: uid, namespace: "ns", uid },
  spec: { type: "LoadBalancer", ipFamilies },
  ...(ip === undefined ? {} : { status: { loadBalancer: { ingress: [{ ip }] } } }),
});

balancersSuite("a simulated cloud", () => createSimulatedBalancers({ ranges: ranges("192.0.2.0/29") }, () => []));

test("a simulated balancer is an address of each family of the service, as far as there are ranges", async () => {
  const balancers = createSimulatedBalancers({ ranges: ranges("192.0.2.0/29", "2001:db8::/120") }, () => []);
  const of = async (uid: string, ...families: readonly string[]) =>
    (await balancers.ensure(service(uid, families), [], signal)).ingress.map(({ ip }) => ip).join();
  assert.equal(await of("a", "IPv4"), "192.0.2.1");
  assert.equal(await of("b", "IPv6", "IPv4"), "2001:db8::1,192.0.2.2");
  assert.equal(await of("b", "IPv4"), "192.0.2.3");
});

test("what was given away before is nobody else's", async () => {
  const old = service("old", ["IPv4"], "192.0.2.1");
  const foreign = service("foreign", ["IPv4"], "198.51.100.1");
  const balancers = createSimulatedBalancers({ ranges: ranges("192.0.2.0/29") }, () => [old, foreign]);
  assert.deepEqual((await balancers.ensure(service("new"), [], signal)).ingress, [{ ip: "192.0.2.2", ipMode: "VIP" }]);
  assert.deepEqual((await balancers.ensure(old, [], signal)).ingress, [{ ip: "192.0.2.1" }]);
  assert.equal(await balancers.get(foreign, signal), undefined);
});

test("a range that is used up, and a family without one, are told", async () => {
  const balancers = createSimulatedBalancers({ ranges: ranges("192.0.2.0/30") }, () => []);
  for (const uid of ["a", "b"]) await balancers.ensure(service(uid), [], signal);
  await assert.rejects(balancers.ensure(service("c"), [], signal), /no IPv4 address left/);
  await assert.rejects(balancers.ensure(service("d", ["IPv6"]), [], signal), /no range of IPv6 addresses/);
  await balancers.remove(service("a"), signal);
  assert.equal((await balancers.ensure(service("c"), [], signal)).ingress[0]?.ip, "192.0.2.1");
});
