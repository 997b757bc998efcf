import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { feed as feedProto } from "../../generated/feed.js";
import type { MessageCodec } from "../rpc.js";
import type { FeedEntry, FeedEvent, FeedItem, FeedRange } from "./messages.js";
import * as methods from "./methods.js";

const text = fc.string({ unit: "binary", maxLength: 40 });
const some = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const revision = fc.maxSafeNat();
const record = <T>(model: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(model, { noNullPrototype: true });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

function roundTrip<T>(codec: MessageCodec<T>, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, (value) => {
      assert.deepEqual(codec.decode(codec.encode(value)), value);
    }),
    { numRuns: 300 },
  );
}

const entry: fc.Arbitrary<FeedEntry> = fc.oneof(
  record({ key: text, value: bytes, revision, created: revision }),
  record({ key: text, value: bytes, revision, created: revision, stale: fc.constant(true as const) }),
);
const proof = record({ key: text, revision, digest: text });
const damage = record({ key: text, revision, why: text });
const event: fc.Arbitrary<FeedEvent> = fc.oneof(
  record({ type: fc.constant("put" as const), entry, previous: optional(entry) }),
  record({ type: fc.constant("delete" as const), key: text, revision, previous: optional(entry) }),
  record({ type: fc.constant("damaged" as const), key: optional(some), revision, why: some }),
);

test("what a feed is asked comes as it was asked", () => {
  roundTrip(
    methods.feedRange.request,
    record({
      ...{ prefix: text, from: text, limit: revision, at: revision },
      ...{ damaged: fc.boolean(), prove: fc.boolean() },
    }),
  );
  roundTrip(
    methods.feedWatch.request,
    record({
      ...{ prefix: text, from: revision, known: optional(proof) },
      last: optional(record({ key: text, revision, digest: bytes })),
      shows: fc.array(text, { maxLength: 5 }),
    }),
  );
  roundTrip(methods.feedGet.request, record({ key: text }));
});

const range: fc.Arbitrary<FeedRange> = record({
  ...{ entries: fc.array(entry, { maxLength: 5 }), revision, count: revision },
  ...{ damaged: fc.array(damage, { maxLength: 3 }), proof: optional(proof) },
});
const item: fc.Arbitrary<FeedItem> = fc.oneof(
  record({ type: fc.constant("events" as const), events: fc.array(event, { minLength: 1, maxLength: 5 }) }),
  record({ type: fc.constant("progress" as const), revision: fc.integer({ min: 1 }) }),
  record({ type: fc.constant("setBack" as const), why: some }),
);

test("what a feed answers comes as it was answered", () => {
  roundTrip(methods.feedRevision.response, record({ revision }));
  roundTrip(methods.feedOrigin.response, record({ storePrefix: text, elsewhere: fc.array(text) }));
  roundTrip(methods.feedRange.response, range);
  roundTrip(methods.feedWatch.response, item);
});

test("the codecs written by hand speak the format of proto/", () => {
  const { Item, RangeReply } = feedProto.v1;
  fc.assert(
    fc.property(item, (value) => {
      const ours = methods.feedWatch.response.encode(value);
      assert.deepEqual(Buffer.from(Item.encode(Item.decode(ours)).finish()), Buffer.from(ours));
    }),
  );
  fc.assert(
    fc.property(range, (value) => {
      const ours = methods.feedRange.response.encode(value);
      assert.deepEqual(Buffer.from(RangeReply.encode(RangeReply.decode(ours)).finish()), Buffer.from(ours));
    }),
  );
  const [put] = [{ key: "k", value: Buffer.from("v"), revision: 2 ** 40, created: 7 }];
  const events = [
    { entry: put, previous: { ...put, stale: true } },
    { key: "gone", revision: 2 ** 33 },
  ];
  assert.deepEqual(methods.feedWatch.response.decode(Item.encode({ events }).finish()), {
    type: "events",
    events: [
      { type: "put", entry: put, previous: { ...put, stale: true } },
      { type: "delete", key: "gone", revision: 2 ** 33, previous: undefined },
    ],
  });
});

test("bytes that are no message are refused", () => {
  for (const broken of [[0x0a], [0x0a, 5, 1], [0x0a, 2, 0x0a, 9], [0x10], [0x10, ...Array(8).fill(0xff), 1], [0x0f]]) {
    assert.throws(() => methods.feedWatch.response.decode(Buffer.from(broken)), `${broken}`);
    assert.throws(() => methods.feedRange.response.decode(Buffer.from(broken)), `${broken}`);
  }
});
