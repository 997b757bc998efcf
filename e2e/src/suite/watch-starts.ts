import assert from "node:assert/strict";
import { test } from "node:test";
import type { Query } from "../harness/http.js";
import { freshMaps, type Maps, versionOf } from "../harness/manifests.js";
import type { WatchEvent } from "../harness/watch-stream.js";
import type { On } from "./scene.js";

/** What a watch of a collection begins with: its present state, or what changed after a version, or what comes. */
type Start = "the state" | "changes after" | "changes to come";

/** The watch table of rules (Resource version semantics) and its streaming lists (Change tracking, 4). */
const table: readonly (readonly [initial: boolean | undefined, version: string, start: Start])[] = [
  [undefined, "unset", "the state"],
  [undefined, "0", "the state"],
  [undefined, "non-zero", "changes after"],
  [true, "unset", "the state"],
  [true, "0", "the state"],
  [true, "non-zero", "the state"],
  [false, "unset", "changes to come"],
  [false, "0", "changes to come"],
  [false, "non-zero", "changes after"],
];

const told = (events: readonly WatchEvent[]): string =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim()).join(", ");

/** Where watches begin (rules: Resource version semantics, watch). */
export function watchStartSuite(on: On): void {
  for (const [initial, version, start] of table) {
    const asked = initial === undefined ? "" : `, sendInitialEvents ${initial}`;
    test(`watch: version ${version}${asked}: starts with ${start}`, async () => {
      const { http, target } = on();
      const maps = await freshMaps(http);
      const then = await history(maps);
      const query: Query = {
        ...(version === "unset" ? {} : { resourceVersion: version === "0" ? 0 : then }),
        ...(initial === undefined ? {} : { sendInitialEvents: initial, resourceVersionMatch: "NotOlderThan" }),
      };
      const [plain, marked] = [
        await http.watch(maps.path(), query),
        await http.watch(maps.path(), { ...query, allowWatchBookmarks: true }),
      ];
      const d = await maps.create("d");
      const expected = {
        "the state": "ADDED b, ADDED c, ADDED d",
        "changes after": "DELETED a, ADDED c, ADDED d",
        "changes to come": "ADDED d",
      }[start];
      const seen = await upTo(plain, versionOf(d));
      // Any version may be an older one: the changes since follow it.
      if (version === "0") assert.ok(told(seen).endsWith("ADDED d"), told(seen));
      else assert.equal(told(seen), expected);
      const withMarks = await upTo(marked, versionOf(d));
      const end = withMarks.find(({ type }) => type === "BOOKMARK");
      assert.equal(end !== undefined, start === "the state");
      if (end !== undefined) {
        assert.equal(end.object.metadata.annotations?.[target.naming.initialEventsEnd], "true");
        if (version !== "0") assert.ok(Number(versionOf(end.object)) >= Number(then));
        const before = withMarks.slice(0, withMarks.indexOf(end));
        assert.ok(before.every(({ type }) => type === "ADDED"));
      }
      plain.close();
      marked.close();
    });
  }

  test("a watch from a version that is to come says nothing, and ends when its time is over", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("a");
    const watch = await http.watch(maps.path(), { resourceVersion: 9_000_000_000_000, timeoutSeconds: 1 });
    assert.deepEqual(await watch.rest(), []);
  });

  test("a streaming list of a version that is far ahead begins, and ends with an ERROR once it does not come", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("a");
    const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true };
    const watch = await http.watch(maps.path(), { ...query, resourceVersion: 9_000_000_000_000 });
    const events = await watch.rest();
    assert.deepEqual(
      events.map(({ type }) => type),
      ["ERROR"],
    );
    const status = JSON.parse(JSON.stringify(events[0]?.object));
    assert.deepEqual([status.kind, status.code, status.reason], ["Status", 504, "Timeout"]);
    assert.match(status.message, /^Timeout: Too large resource version: 9000000000000, current: \d+$/);
    assert.equal(status.details.retryAfterSeconds, 1);
    assert.equal(status.details.causes[0].reason, "ResourceVersionTooLarge");
  });

  test("a watch from a version that is about to come begins when it is there", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const next = Number(versionOf(await maps.create("a"))) + 1;
    const watch = await http.watch(maps.path(), { resourceVersion: next });
    await maps.create("b");
    const c = await maps.create("c");
    const seen = await upTo(watch, versionOf(c));
    // Others write too: `b` may be behind that version.
    assert.ok(["ADDED c", "ADDED b, ADDED c"].includes(told(seen)), told(seen));
    watch.close();
  });
}

/** `a`, `ab` then, `b`, and `bc` now. */
async function history(maps: Maps): Promise<string> {
  await maps.create("a");
  const then = versionOf(await maps.create("b"));
  await maps.remove("a");
  await maps.create("c");
  return then;
}

/** Events up to the one of a version. */
async function upTo(
  watch: { take(count: number): Promise<readonly WatchEvent[]> },
  version: string,
): Promise<readonly WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for (;;) {
    const [event] = await watch.take(1);
    assert.ok(event);
    seen.push(event);
    if (event.type !== "BOOKMARK" && versionOf(event.object) === version) return seen;
  }
}
