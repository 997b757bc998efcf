import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { compactEtcd } from "./harness/forget.js";
import { connect, type Http } from "./harness/http.js";
import { freshMaps, namesOf, versionOf } from "./harness/manifests.js";
import { assertFailure } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";
import { behaviour } from "./suite/behaviour.js";

const skip = etcdMissing() ?? false;

behaviour("standalone on etcd", {
  start: () => startStandalone({ etcd: true }),
  skip: skip === false ? undefined : skip,
});

describe("standalone and its etcd", { skip }, () => {
  let target: StandaloneTarget;
  let http: Http;
  before(async () => {
    target = await startStandalone({ etcd: true });
    http = connect(target);
  });
  after(async () => {
    http.close();
    await target.stop();
  });

  test("versions that the store has compacted are gone with 410 but for a page that is in memory", async () => {
    const maps = await freshMaps(http);
    for (const name of ["a", "b", "c"]) await maps.create(name);
    const page = await http.get(maps.path(), { limit: 1 });
    const then = String(page.at("metadata.resourceVersion"));
    const now = versionOf(await maps.create("d"));
    await compactEtcd(target.etcd?.endpoints[0] ?? "", Number(now));
    const next = { limit: 1, continue: String(page.at("metadata.continue")) };
    assert.deepEqual(namesOf((await http.get(maps.path(), next)).items()), ["b"]);
    for (let i = 0; i < 9; i++) {
      // More lists that are read page by page, each at a version of its own, than are kept in memory.
      await maps.create(`z${i}`);
      await http.get(maps.path(), { limit: 1 });
    }
    for (let i = 0; i < 9; i++) await maps.remove(`z${i}`);
    const expired = { code: 410, reason: "Expired" };
    assertFailure(await http.get(maps.path(), next), expired);
    assertFailure(await http.get(maps.path(), { resourceVersion: then, resourceVersionMatch: "Exact" }), expired);
    assertFailure(await http.get(maps.path(), { resourceVersion: then, limit: 2 }), expired);
    const fresh = await http.get(maps.path(), { resourceVersion: then });
    assert.equal(namesOf(fresh.items()).join(""), "abcd");
    // The cache has the history that the store has not.
    const watch = await http.watch(maps.path(), { resourceVersion: then });
    assert.equal((await watch.take(1))[0]?.text, `ADDED d@${now}`);
    watch.close();
  });

  test("while the store is away readiness says so and known objects are served; afterwards all goes on", async () => {
    const maps = await freshMaps(http);
    const first = await maps.create("first");
    const watch = await http.watch(maps.path(), { resourceVersion: versionOf(first) });
    const [member] = target.etcd?.members ?? [];
    assert.ok(member);
    await member.kill();
    const unready = await until("readiness notices", async () => {
      const answer = await http.get("/readyz");
      return answer.status === 200 ? undefined : answer;
    });
    assert.equal(unready.status, 500);
    assert.match(unready.text, /^\[-\]store failed: reason withheld$/m);
    assert.match(unready.text, /^\[\+\]ping ok$/m);
    assert.match((await http.get("/livez")).text, /^\[-\]store failed: reason withheld$/m);
    assert.equal((await http.get("/livez?exclude=store")).text, "ok");
    assert.equal((await http.get(maps.path("first"), { resourceVersion: 0 })).status, 200);
    assert.equal((await http.get(maps.path(), { resourceVersion: 0 })).items().length, 1);
    const write = http.post(maps.path(), { metadata: { name: "second" } });
    await member.restart();
    const answer = await write;
    if (answer.status !== 201) assert.ok([503, 504].includes(answer.status), answer.text);
    await until("readiness returns", async () => ((await http.get("/readyz")).status === 200 ? true : undefined));
    const done = (await http.get(maps.path("second"))).status === 200;
    assert.ok(done || answer.status !== 201, "an acknowledged write is lost");
    const third = await maps.create("third");
    const events = await watch.take(done ? 2 : 1);
    assert.equal(events.at(-1)?.text, `ADDED third@${versionOf(third)}`);
    watch.close();
  });
});
