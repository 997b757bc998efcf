import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import type { WatchItem } from "../store.js";
import { line } from "../testing/drive.js";
import { type EtcdEvent, eventType, type WatchResponse } from "./methods.js";
import { createResponseReader } from "./watch-response.js";

const put = (name: string, at: number, more: Partial<EtcdEvent> = {}): EtcdEvent => ({
  type: eventType.PUT,
  kv: { key: Buffer.from(`/p/${name}`), value: Buffer.from(String(at)), createRevision: at, modRevision: at },
  ...more,
});
const events = (list: readonly EtcdEvent[], more: WatchResponse = {}): WatchResponse => ({
  events: [...list],
  ...more,
});

function show(items: readonly WatchItem[]): string {
  return items
    .map((item) =>
      item.type === "progress" ? `progress ${item.revision}` : item.events.map((e) => line(e, "/p/")).join(" "),
    )
    .join(", ");
}

const rows: readonly [name: string, responses: readonly WatchResponse[], shown: readonly string[], next: number][] = [
  ["the created reply's revision means nothing", [{ created: true, header: { revision: 99 } }], [""], 5],
  ["events below the start are left out", [events([put("a", 4), put("b", 5)])], ["+b@5=5"], 6],
  [
    "an event that comes twice is told once",
    [events([put("a", 5)]), events([put("a", 5), put("b", 6)])],
    ["+a@5=5", "+b@6=6"],
    7,
  ],
  ["a key of the store's own is progress", [events([put("\0compaction", 7)])], ["progress 7"], 8],
  ["one between others is nothing", [events([put("a", 5), put("\0compaction", 6), put("b", 7)])], ["+a@5=5 +b@7=7"], 8],
  [
    "progress is told when it is news",
    [{ header: { revision: 4 } }, { header: { revision: 9 } }],
    ["", "progress 9"],
    10,
  ],
  [
    "the last revision of a fragment waits for the rest",
    [events([put("a", 5), put("b", 6)], { fragment: true }), events([put("c", 6), put("d", 7)])],
    ["+a@5=5", "+b@6=6 +c@6=6 +d@7=7"],
    8,
  ],
];

for (const [name, responses, shown, next] of rows) {
  test(`in a watch's responses, ${name}`, () => {
    const reader = createResponseReader("/p/", 5);
    assert.deepEqual(
      responses.map((response) => show(reader.items(response))),
      shown,
    );
    assert.equal(reader.next(), next);
  });
}

test("what a cut stream left unfinished is not told twice", () => {
  const reader = createResponseReader("/p/", 5);
  assert.equal(show(reader.items(events([put("a", 5), put("b", 6)], { fragment: true }))), "+a@5=5");
  reader.restart();
  assert.equal(reader.next(), 6);
  assert.equal(show(reader.items(events([put("b", 6), put("c", 7)]))), "+b@6=6 +c@7=7");
});

test("an event without the state it replaced, and a watch canceled by compaction, are Expired", () => {
  const expired = (error: unknown): boolean => error instanceof ApiError && error.reason === "Expired";
  const items = (response: WatchResponse) => () => createResponseReader("/p/", 5).items(response);
  const update = put("a", 6, { kv: { key: Buffer.from("/p/a"), createRevision: 2, modRevision: 6 } });
  assert.throws(items(events([update])), expired);
  assert.throws(items(events([{ type: eventType.DELETE, kv: { modRevision: 6 } }])), expired);
  assert.throws(items({ canceled: true, compactRevision: 8 }), expired);
  assert.throws(items({ canceled: true, cancelReason: "no leader" }), (error) => !expired(error));
});
