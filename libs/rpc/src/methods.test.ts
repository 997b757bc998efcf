import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { resource } from "../generated/resource.js";
import { watchcache } from "../generated/watch_cache.js";
import * as methods from "./methods.js";
import type { MessageCodec } from "./rpc.js";

const text = fc.oneof(fc.string(), fc.string({ unit: "binary", maxLength: 60 }));
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const names = { group: text, version: text, resource: text, namespace: text };
const status = () =>
  record({ ready: fc.boolean(), revision: fc.maxSafeNat(), message: text, unfinished: fc.array(text) });
const map = <T>(value: fc.Arbitrary<T>) => fc.dictionary(fc.string(), value, { noNullPrototype: true });

/** Records with the ordinary prototype, as our values have it. */
const record = <T>(model: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(model, { noNullPrototype: true });

function roundTrip<T>(codec: MessageCodec<T>, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, (value) => {
      assert.deepEqual(codec.decode(codec.encode(value)), value);
    }),
    { numRuns: 300 },
  );
}

test("a get request and its reply come back as they were", () => {
  roundTrip(
    methods.watchCacheGet.request,
    record({ ...names, name: text, resourceVersion: text, subresource: text, form: text }),
  );
  roundTrip(methods.watchCacheGet.response, record({ body: bytes }));
});

/** One of events as they happen, and one of anything else. */
const chunk: fc.Arbitrary<methods.Chunk> = fc.oneof(
  record({ body: bytes }),
  record({ body: bytes, length: fc.integer({ min: 1, max: 0xffff_ffff }) }),
  record({ body: bytes, length: fc.integer({ min: 1, max: 0xffff_ffff }), rest: fc.string({ minLength: 1 }) }),
  record({
    body: bytes,
    live: record({ events: fc.integer({ min: 1, max: 0xffff_ffff }), since: fc.double({ min: 1, noNaN: true }) }),
  }),
  record({ body: bytes, revision: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) }),
);

test("chunks of lists and watches come back as they were", () => {
  roundTrip(methods.watchCacheList.response, chunk);
  roundTrip(methods.watchCacheWatch.response, chunk);
});

test("list and watch requests come back as they were", () => {
  const selected = {
    ...names,
    labelSelector: text,
    fieldSelector: text,
    resourceVersion: text,
    resourceVersionMatch: text,
    sendInitialEvents: fc.option(fc.boolean(), { nil: undefined }),
    form: text,
  };
  const permitted = fc.option(
    fc.oneof(
      record({ namespaces: fc.array(text) }),
      record({ namespaces: fc.array(text), gained: fc.array(text, { minLength: 1 }) }),
      record({ namespaces: fc.array(text), rights: fc.array(fc.maxSafeNat(), { minLength: 1 }) }),
    ),
    { nil: undefined },
  );
  roundTrip(
    methods.watchCacheList.request,
    record({
      ...selected,
      permitted,
      sort: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      kept: fc.option(fc.string(), { nil: undefined }),
      limit: fc.maxSafeInteger(),
      continueToken: text,
      sendInitialEvents: fc.option(fc.boolean(), { nil: undefined }),
      gzip: fc.boolean(),
    }),
  );
  roundTrip(
    methods.watchCacheWatch.request,
    record({
      ...selected,
      name: text,
      allowBookmarks: fc.boolean(),
      timeoutMs: fc.nat(),
      permitted,
    }),
  );
});

test("whoever does not know of permitted namespaces finds no resource in a request of those", () => {
  const { request } = methods.watchCacheList;
  const asked = { group: "", version: "v1", resource: "pods", namespace: "", labelSelector: "", fieldSelector: "" };
  const rest = { resourceVersion: "", resourceVersionMatch: "", limit: 0, continueToken: "", form: "", gzip: false };
  const bytes = request.encode({ ...asked, ...rest, permitted: { namespaces: ["a"] } });
  assert.equal(watchcache.v1.ListRequest.decode(bytes).resource, "");
  assert.equal(request.decode(bytes).resource, "pods");
});

test("a write and its reply come back as they were", () => {
  const verb = fc.constantFrom<methods.WriteVerb>("create", "update", "delete", "deletecollection", "patch");
  const user = record({ name: text, uid: text, groups: fc.array(text), extra: map(fc.array(text)) });
  roundTrip(
    methods.resourceWrite.request,
    record({
      ...names,
      verb,
      subresource: text,
      name: text,
      body: bytes,
      contentType: text,
      options: map(text),
      user,
      form: text,
      userAgent: text,
      ifMatch: text,
    }),
  );
  roundTrip(methods.resourceWrite.response, record({ code: fc.nat(), body: bytes, warnings: fc.array(text) }));
});

test("a status comes back as it was", () => {
  for (const method of [methods.watchCacheStatus, methods.resourceStatus]) {
    roundTrip(method.response, status());
    assert.deepEqual(method.request.decode(method.request.encode({})), {});
  }
});

test("the codecs written by hand speak the format of proto/", () => {
  const { GetRequest, ObjectReply, ListRequest, Chunk } = watchcache.v1;
  fc.assert(
    fc.property(record({ ...names, name: text, resourceVersion: text, subresource: text, form: text }), (value) => {
      const ours = methods.watchCacheGet.request.encode(value);
      assert.deepEqual(Buffer.from(GetRequest.encode(value).finish()), Buffer.from(ours));
    }),
  );
  fc.assert(
    fc.property(bytes, (body) => {
      const ours = methods.watchCacheGet.response.encode({ body });
      assert.deepEqual(Buffer.from(ObjectReply.encode({ body }).finish()), Buffer.from(ours));
    }),
  );
  fc.assert(
    fc.property(chunk, (value) => {
      const ours = methods.watchCacheWatch.response.encode(value);
      const { live, ...further } = value;
      assert.deepEqual(Buffer.from(Chunk.encode({ ...live, ...further }).finish()), Buffer.from(ours));
    }),
  );
  const newer = ListRequest.encode({ group: "g", limit: 5, continueToken: "c" }).finish();
  assert.equal(methods.watchCacheGet.request.decode(newer).group, "g", "fields of a newer version are passed over");
});

test("bytes that are no message are refused", () => {
  for (const broken of [[0x0a], [0x0a, 5, 1], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x0f], [0x09, 1], [0x19, 1]]) {
    assert.throws(() => methods.watchCacheGet.request.decode(Buffer.from(broken)));
    assert.throws(() => methods.watchCacheGet.response.decode(Buffer.from(broken)));
    assert.throws(() => methods.watchCacheWatch.response.decode(Buffer.from(broken)));
  }
  const unknownVerb = resource.v1.WriteRequest.encode({ verb: 0 }).finish();
  assert.throws(() => methods.resourceWrite.request.decode(unknownVerb), /unknown verb/);
});

const annotations = () => map(bytes);
const writeKey = () =>
  record({
    seed: bytes,
    keyId: text,
    wrapped: bytes,
    annotations: annotations(),
    type: fc.integer({ min: 0, max: 9 }),
  });
const namedKeys = () => fc.array(record({ name: text, secret: bytes }));
const keyProvider = fc.oneof(
  record({ type: fc.constant("identity" as const) }),
  record({ type: fc.constantFrom("aescbc" as const, "aesgcm" as const, "secretbox" as const), keys: namedKeys() }),
  record({ type: fc.constant("kms-v1" as const), name: text, cacheSize: fc.integer({ min: -9, max: 9_999 }) }),
  record({
    type: fc.constant("kms-v2" as const),
    name: text,
    write: fc.option(writeKey(), { nil: undefined }),
    why: text,
  }),
);

test("key sets, and questions to plugins with their answers, come back as they were", () => {
  const rule = record({ resources: fc.array(text), providers: fc.array(keyProvider) });
  roundTrip(methods.kmsKeySets.response, record({ rules: fc.array(rule) }));
  const version = fc.constantFrom("v1" as const, "v2" as const);
  roundTrip(
    methods.kmsUnwrap.request,
    record({ provider: text, version, wrapped: bytes, keyId: text, annotations: annotations() }),
  );
  roundTrip(methods.kmsWrap.request, record({ provider: text, key: bytes }));
  const failure = text.filter((each) => each !== "");
  roundTrip(
    methods.kmsUnwrap.response,
    fc.oneof(
      record({ type: fc.constant("answered" as const), key: bytes }),
      record({ type: fc.constant("failed" as const), failure, away: fc.boolean() }),
    ),
  );
  const check = record({ name: text, reason: text });
  roundTrip(methods.kmsHealth.response, record({ checks: fc.array(check), reloads: fc.boolean() }));
});
