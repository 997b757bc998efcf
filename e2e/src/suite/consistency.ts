import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../harness/http.js";
import { freshMaps, versionOf } from "../harness/manifests.js";
import type { On } from "./scene.js";

const lanes = 16;
const roundsPerLane = 125;

/** Most Recent reads are linearizable, through whichever gateway. */
export function consistencySuite(on: On): void {
  test("a write that was answered through one gateway is read through another at once, thousands of times", async () => {
    const { http, target } = on();
    const gateways = target.urls.map((_, gateway) => connect(target, { gateway }));
    const maps = await freshMaps(http);
    const through = (i: number) => gateways[i % gateways.length] ?? http;
    const lane = async (id: number): Promise<void> => {
      const name = `lane-${id}`;
      let version = versionOf(await maps.create(name, { labels: { lane: name } }));
      for (let round = 1; round <= roundsPerLane; round++) {
        const body = {
          metadata: { name, resourceVersion: version, labels: { lane: name } },
          data: { n: String(round) },
        };
        const [writer, reader] = [through(round), through(round + 1)];
        const written = await writer.put(maps.path(name), body);
        assert.equal(written.status, 200, written.text);
        version = versionOf(written.object());
        if (round % 2 === 0) {
          const read = await reader.get(maps.path(name));
          assert.equal(read.at("data.n"), String(round), `get of ${name} after round ${round}`);
          continue;
        }
        const listed = await reader.get(maps.path(), { labelSelector: `lane=${name}` });
        assert.equal(listed.at("items.0.data.n"), String(round), `list of ${name} after round ${round}`);
        assert.ok(Number(listed.at("metadata.resourceVersion")) >= Number(version));
      }
      await through(id).delete(maps.path(name));
      assert.equal((await through(id + 1).get(maps.path(name))).status, 404, `get of ${name} after its deletion`);
    };
    await Promise.all(Array.from({ length: lanes }, (_, id) => lane(id)));
    for (const gateway of gateways) gateway.close();
  });

  test("successive Most Recent reads never go back in time, whoever writes", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    let current = await maps.create("clock", { data: { n: "0" } });
    let writing = true;
    const writer = (async () => {
      for (let n = 1; n <= 300; n++) current = await maps.change(current, { n: String(n) });
      writing = false;
    })();
    const reader = async (): Promise<void> => {
      let seen = 0;
      while (writing) {
        const n = Number((await http.get(maps.path("clock"))).at("data.n"));
        assert.ok(n >= seen, `read ${n} after ${seen}`);
        seen = n;
      }
    };
    await Promise.all([writer, reader(), reader(), reader(), reader()]);
    assert.equal(versionOf((await http.get(maps.path("clock"))).object()), versionOf(current));
  });
}
