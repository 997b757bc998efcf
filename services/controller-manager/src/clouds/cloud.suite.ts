import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenNode } from "../seen/node.js";
import { balancersSuite } from "./balancers.suite.js";
import type { Cloud, Route } from "./cloud.js";

/** A cloud with everything, and nodes of which it has to say something. */
export interface SuiteCloud {
  /** With room for balancers of two services of the family IPv4, and without routes. */
  readonly cloud: Required<Cloud>;
  readonly running: SeenNode;
  readonly shutDown: SeenNode;
  readonly gone: SeenNode;
}

/** What every cloud does. `make`: another one each time. */
export function cloudSuite(name: string, make: () => SuiteCloud): void {
  const { signal } = new AbortController();
  balancersSuite(name, () => make().cloud.balancers);

  test(`${name}: an instance is there and runs, is there and does not, or is not there`, async () => {
    const { cloud, running, shutDown, gone } = make();
    const { instances, zones } = cloud;
    assert.deepEqual(
      [await instances.exists(running, signal), await instances.isShutDown(running, signal)],
      [true, false],
    );
    assert.deepEqual(
      [await instances.exists(shutDown, signal), await instances.isShutDown(shutDown, signal)],
      [true, true],
    );
    assert.equal(await instances.exists(gone, signal), false);
    await assert.rejects(instances.isShutDown(gone, signal));
    await assert.rejects(instances.describe(gone, signal));
    await assert.rejects(zones.zoneOf(gone, signal));
  });

  test(`${name}: an instance has an id of its own that names the cloud, addresses, a zone and a region`, async () => {
    const { cloud, running, shutDown } = make();
    const described = await cloud.instances.describe(running, signal);
    assert.ok(described.providerId.startsWith(`${cloud.name}://`), described.providerId);
    assert.ok(described.addresses.length > 0);
    assert.deepEqual(await cloud.instances.describe(running, signal), described);
    assert.notEqual((await cloud.instances.describe(shutDown, signal)).providerId, described.providerId);
    const { zone, region } = await cloud.zones.zoneOf(running, signal);
    assert.ok(zone !== "" && region !== "");
  });

  test(`${name}: a route is there once, however often it is made, until it is removed`, async () => {
    const { routes } = make().cloud;
    const route = (name: string, destination: string): Route => ({ name, destination, target: "node" });
    const [a, b] = [route("a", "10.0.0.0/24"), route("b", "10.0.1.0/24")];
    assert.deepEqual(await routes.list(signal), []);
    for (const each of [a, b, a]) await routes.create(each, signal);
    assert.deepEqual(
      [...(await routes.list(signal))].sort((x, y) => x.name.localeCompare(y.name)),
      [a, b],
    );
    await routes.remove(a, signal);
    await routes.remove(a, signal);
    assert.deepEqual(await routes.list(signal), [b]);
  });
}
