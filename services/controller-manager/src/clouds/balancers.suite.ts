import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenService } from "../seen/service.js";
import type { LoadBalancers } from "./load-balancers.js";

/** What every cloud's balancers do. `make`: of a cloud that has room for two services of the family IPv4. */
export function balancersSuite(name: string, make: () => LoadBalancers): void {
  const { signal } = new AbortController();
  const service = (uid: string): SeenService => ({
    metadata: { name: uid, namespace: "ns", uid },
    spec: { type: "LoadBalancer", ipFamilies: ["IPv4"], ports: [{ port: 80 }] },
  });

  test(`${name}: a balancer is the same however often it is asked for, until it is removed`, async () => {
    const balancers = make();
    assert.equal(await balancers.get(service("a"), signal), undefined);
    const made = await balancers.ensure(service("a"), [], signal);
    assert.ok(made.ingress.length > 0);
    assert.deepEqual(await balancers.ensure(service("a"), [], signal), made);
    assert.deepEqual(await balancers.get(service("a"), signal), made);
    await balancers.update(service("a"), [], signal);
    assert.deepEqual(await balancers.get(service("a"), signal), made);
    await balancers.remove(service("a"), signal);
    assert.equal(await balancers.get(service("a"), signal), undefined);
    await balancers.remove(service("a"), signal);
  });

  test(`${name}: two services have nothing in common`, async () => {
    const balancers = make();
    const a = await balancers.ensure(service("a"), [], signal);
    const b = await balancers.ensure(service("b"), [], signal);
    const places = [...a.ingress, ...b.ingress].map(({ ip, hostname }) => ip ?? hostname);
    assert.equal(new Set(places).size, places.length);
    await balancers.remove(service("a"), signal);
    assert.deepEqual(await balancers.get(service("b"), signal), b);
  });
}
