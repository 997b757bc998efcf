import assert from "node:assert/strict";
import { test } from "node:test";
import { freshMaps, freshNamespace, versionOf } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import { until } from "../harness/until.js";
import type { WatchEvent } from "../harness/watch-stream.js";
import type { On } from "./scene.js";

const texts = (events: readonly WatchEvent[]): readonly string[] => events.map((e) => e.text);
const types = (events: readonly WatchEvent[]): string =>
  events.map((e) => `${e.type} ${e.object.metadata.name ?? ""}`.trim()).join(", ");

/** Watches (rules: Change tracking; Watch event; Resource version semantics, watch). */
export function watchSuite(on: On): void {
  starts(on);
  contents(on);
  ends(on);
  streamingLists(on);
}

function starts(on: On): void {
  test("a watch from a version tells exactly what changed after it, in order", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const a1 = await maps.create("a", { data: { n: "1" } });
    const from = String((await http.get(maps.path())).at("metadata.resourceVersion"));
    const a2 = await maps.change(a1, { n: "2" });
    const b1 = await maps.create("b");
    const watch = await http.watch(maps.path(), { resourceVersion: from });
    assert.deepEqual(texts(await watch.take(2)), [`MODIFIED a@${versionOf(a2)}`, `ADDED b@${versionOf(b1)}`]);
    const a3 = await maps.change(a2, { n: "3" });
    await maps.remove("b");
    const [modified, deleted] = await watch.take(2);
    assert.equal(modified?.text, `MODIFIED a@${versionOf(a3)}`);
    assert.deepEqual(modified?.object, { kind: "ConfigMap", apiVersion: "v1", ...a3 });
    assert.equal(deleted?.type, "DELETED");
    // The last state, with the version of the deletion: whoever resumes from it gets what follows.
    assert.equal(deleted?.object.metadata.uid, b1.metadata.uid);
    assert.ok(Number(versionOf(deleted?.object ?? b1)) > Number(versionOf(a3)));
    watch.close();
  });

  test("a watch resumed from each of its events misses nothing and repeats nothing", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const from = String((await http.get(maps.path())).at("metadata.resourceVersion"));
    for (const name of ["a", "b", "c"]) await maps.create(name);
    await maps.remove("b");
    await maps.create("b");
    const whole = await http.watch(maps.path(), { resourceVersion: from });
    const all = await whole.take(5);
    whole.close();
    for (const [i, event] of all.entries()) {
      const rest = all.slice(i + 1);
      const watch = await http.watch(maps.path(), { resourceVersion: versionOf(event.object) });
      assert.deepEqual(texts(await watch.take(rest.length)), texts(rest));
      watch.close();
    }
  });

  for (const [what, query] of Object.entries({ unset: {}, zero: { resourceVersion: 0 } })) {
    test(`a watch whose version is ${what} begins with what there is, as ADDED, then goes on`, async () => {
      const { http } = on();
      const maps = await freshMaps(http);
      const [a, b] = [await maps.create("a"), await maps.create("b")];
      await until("every cache has both", async () => {
        for (let i = 0; i < 8; i++) {
          const list = await http.get(maps.path(), { resourceVersion: 0 });
          if (list.items().length < 2) return undefined;
        }
        return true;
      });
      const watch = await http.watch(maps.path(), query);
      assert.deepEqual(texts(await watch.take(2)), [`ADDED a@${versionOf(a)}`, `ADDED b@${versionOf(b)}`]);
      const c = await maps.create("c");
      assert.deepEqual(texts(await watch.take(1)), [`ADDED c@${versionOf(c)}`]);
      watch.close();
    });
  }

  test("a watch without a version shows every write that was answered before it began", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (let i = 0; i < 40; i++) {
      await maps.create(`w${String(i).padStart(2, "0")}`);
      const watch = await http.watch(maps.path());
      assert.equal((await watch.take(i + 1)).at(-1)?.object.metadata.name, `w${String(i).padStart(2, "0")}`);
      watch.close();
    }
  });

  test("a watch from a version that is not there yet waits and then tells only what is newer", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const now = Number((await maps.create("a")).metadata.resourceVersion);
    const watch = await http.watch(maps.path(), { resourceVersion: now + 2, timeoutSeconds: 30 });
    // Other tests write as well: go on until one of ours is surely newer.
    let last = await maps.create("b");
    while (Number(versionOf(last)) <= now + 2) last = await maps.change(last, { at: versionOf(last) });
    const [event] = await watch.take(1);
    assert.ok(Number(versionOf(event?.object ?? last)) > now + 2, event?.text);
    watch.close();
  });
}

function contents(on: On): void {
  test("objects that come to match or cease to match a selector are ADDED and DELETED to its watch", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const watch = await http.watch(maps.path(), { labelSelector: "on=yes" });
    const relabel = async (name: string, labels: object) => {
      const current = (await http.get(maps.path(name))).object();
      const answer = await http.put(maps.path(name), { ...current, metadata: { ...current.metadata, labels } });
      assert.equal(answer.status, 200, answer.text);
      return answer.object();
    };
    await maps.create("never");
    const a = await maps.create("a", { labels: { on: "no" } });
    const on1 = await relabel("a", { on: "yes" });
    const on2 = await relabel("a", { on: "yes", more: "1" });
    const off = await relabel("a", { on: "no" });
    const on3 = await relabel("a", { on: "yes" });
    await maps.remove("a");
    const events = await watch.take(5);
    assert.equal(types(events), "ADDED a, MODIFIED a, DELETED a, ADDED a, DELETED a");
    const at = events.map((e) => versionOf(e.object));
    assert.deepEqual(at.slice(0, 4), [on1, on2, off, on3].map(versionOf));
    // It leaves as it last was inside of the selection, at the version that took it out.
    assert.deepEqual(events[2]?.object.metadata.labels, { on: "yes", more: "1" });
    assert.ok(Number(at[4]) > Number(versionOf(a)));
    watch.close();
  });

  test("field selectors hold for watches: a pod that is bound leaves the watch of the free ones", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const watch = await http.watch(path, { fieldSelector: "spec.nodeName=n1" });
    const spec = { containers: [{ name: "c", image: "i" }] };
    await http.post(path, { metadata: { name: "free" }, spec });
    await http.post(path, { metadata: { name: "bound" }, spec: { ...spec, nodeName: "n1" } });
    assert.equal(types(await watch.take(1)), "ADDED bound");
    watch.close();
  });

  test("a watch of one object sees that object alone, in both forms of its path", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("other");
    const watches = [
      await http.watch(maps.path("one")),
      await http.watch(maps.path(), { fieldSelector: "metadata.name=one" }),
      await http.watch(maps.path("one").replace("/api/v1/", "/api/v1/watch/")),
    ];
    const one = await maps.create("one");
    await maps.create("one-more");
    await maps.change(one, { k: "v" });
    await maps.remove("one");
    for (const watch of watches) {
      assert.equal(types(await watch.take(3)), "ADDED one, MODIFIED one, DELETED one");
      watch.close();
    }
  });

  test("a watch of a namespace sees no other namespace, a watch of the cluster sees all", async () => {
    const { http } = on();
    const [one, two] = [await freshMaps(http), await freshMaps(http)];
    const labelSelector = `run=${one.namespace}`;
    const labels = { run: one.namespace };
    const narrow = await http.watch(two.path(), { labelSelector });
    const wide = await http.watch("/api/v1/configmaps", { labelSelector });
    await one.create("a", { labels });
    await two.create("b", { labels });
    assert.equal(types(await narrow.take(1)), "ADDED b");
    assert.equal(types(await wide.take(2)), "ADDED a, ADDED b");
    narrow.close();
    wide.close();
  });

  test("large objects and bursts arrive whole", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const watch = await http.watch(maps.path());
    const sizes = [10, 100_000, 1, 600_000, 5_000];
    for (const [i, size] of sizes.entries()) await maps.create(`o${i}`, { data: { k: "é".repeat(size / 2) } });
    const events = await watch.take(sizes.length);
    for (const { object } of events) {
      const stored = await http.get(maps.path(object.metadata.name));
      assert.deepEqual(object, stored.json());
    }
    watch.close();
  });
}

function ends(on: On): void {
  test("timeoutSeconds ends a watch in an orderly way, with a last bookmark when asked for", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const a = await maps.create("a");
    const [plain, marked] = await Promise.all([
      http.watch(maps.path(), { timeoutSeconds: 1 }),
      http.watch(maps.path(), { timeoutSeconds: 1, allowWatchBookmarks: true }),
    ]);
    const [events, withMark] = await Promise.all([plain.rest(), marked.rest()]);
    assert.equal(types(events), "ADDED a");
    // The first bookmark ends the state that the watch began with.
    // The one that all watches are sent from time to time may fall between.
    assert.match(withMark.map((e) => e.type).join(" "), /^ADDED BOOKMARK( BOOKMARK){1,2}$/);
    const { object } = withMark.at(-1) ?? {};
    assert.deepEqual(Object.keys(object ?? {}).sort(), ["apiVersion", "kind", "metadata"]);
    assert.equal(object?.kind, "ConfigMap");
    assert.deepEqual(Object.keys(object?.metadata ?? {}), ["resourceVersion"]);
    assert.ok(Number(object?.metadata.resourceVersion) >= Number(versionOf(a)));
  });

  test("a timeout far in the future does not end the watch", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const watch = await http.watch(maps.path(), { timeoutSeconds: 99_999_999 });
    await maps.create("a");
    assert.equal(types(await watch.take(1)), "ADDED a");
    await maps.create("b");
    assert.equal(types(await watch.take(1)), "ADDED b");
    watch.close();
  });

  test("what is no watch is refused before the stream begins", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const query of [{ resourceVersion: "x" }, { timeoutSeconds: "soon" }, { resourceVersion: "-1" }]) {
      assertFailure(await http.get(maps.path(), { watch: true, ...query }), { code: 400, reason: "BadRequest" });
    }
    for (const query of [{ resourceVersionMatch: "Exact", resourceVersion: 5 }, { sendInitialEvents: true }]) {
      assertFailure(await http.get(maps.path(), { watch: true, ...query }), { code: 422, reason: "Invalid" });
    }
  });
}

function streamingLists(on: On): void {
  test("a streaming list is the objects, a bookmark that says they are all, and then changes", async () => {
    const { http, target } = on();
    const maps = await freshMaps(http);
    const [a, b] = [await maps.create("a"), await maps.create("b")];
    const watch = await http.watch(maps.path(), {
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    });
    const [first, second, mark] = await watch.take(3);
    assert.deepEqual([first?.text, second?.text], [`ADDED a@${versionOf(a)}`, `ADDED b@${versionOf(b)}`]);
    assert.equal(mark?.type, "BOOKMARK");
    const { [target.naming.key("initial-events-list-blueprint")]: empty = "", ...said } =
      mark?.object.metadata.annotations ?? {};
    assert.deepEqual(said, { [target.naming.initialEventsEnd]: "true" });
    // Of which clients make the list.
    const body = JSON.parse(Buffer.from(empty, "base64").toString());
    assert.deepEqual([body.kind, body.apiVersion, body.items], ["ConfigMapList", "v1", []]);
    assert.ok(Number(mark?.object.metadata.resourceVersion) >= Number(versionOf(b)));
    await maps.remove("a");
    assert.equal(types(await watch.take(1)), "DELETED a");
    watch.close();
  });
}
