import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chunk } from "@orch/rpc/messages.js";
import { watchCacheWatch } from "@orch/rpc/methods.js";
import { createPacer } from "@orch/rpc/pacer.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { listsOf } from "./kept-lists.js";
import { createLayouts } from "./layout/layouts.js";
import { type ReadDeps, serveWatch } from "./reads.js";
import { plainJson } from "./representation.js";
import { fakeExchange } from "./testing/fake-exchange.js";

const path = "/api/v1/namespaces/a/configmaps";
const target = {
  group: "",
  version: "v1",
  resource: "configmaps",
  namespace: "a",
  name: "",
  subresource: "",
} as const;

const readDeps = (caller: Caller, own: Partial<ReadDeps> = {}): ReadDeps => ({
  layouts: createLayouts(createPacer(setImmediate)),
  respond: { document: () => {}, value: () => {}, error: () => {} },
  caches: () => caller,
  openList: listsOf(() => caller),
  gzip: false,
  requestTimeoutMs: 1000,
  minRequestTimeoutMs: 60_000,
  openWatches: new Set(),
  listExtensions: false,
  errorEvent: () => Buffer.alloc(0),
  delivered: () => {},
  random: () => 0,
  ...own,
});

/** How long a watch is asked to last, by a server that lets them last a minute at least. */
async function lasting(query: string, random: number): Promise<unknown> {
  let asked: unknown;
  const caller: Caller = {
    call: () => assert.fail("a watch is a stream"),
    open(_method, request, receiver) {
      asked = request;
      setImmediate(() => receiver.end());
      return { cancel: () => {}, pause: () => {}, resume: () => {} };
    },
    ready: true,
    close: async () => {},
  };
  const deps = readDeps(caller, { random: () => random });
  const exchange = fakeExchange({ target: `${path}?watch=1${query}` });
  await serveWatch(deps, { ...exchange, target, representation: plainJson, headers: [] });
  return typeof asked === "object" && asked !== null && "timeoutMs" in asked ? asked.timeoutMs : undefined;
}

test("events are told as delivered once they were written to the client, other bytes never", async () => {
  const exchange = fakeExchange({ target: `${path}?watch=1` });
  const told: (readonly [events: number, since: number, after: string | undefined])[] = [];
  const caller: Caller = {
    call: () => assert.fail("a watch is a stream"),
    open(method, _request, receiver) {
      const send = (chunk: Chunk): void =>
        receiver.message(method.response.decode(watchCacheWatch.response.encode(chunk)));
      setImmediate(() => {
        send({ body: Buffer.alloc(0) });
        send({ body: Buffer.from("initial") });
        send({ body: Buffer.from("live"), live: { events: 2, since: 5 } });
        receiver.end();
      });
      return { cancel: () => {}, pause: () => {}, resume: () => {} };
    },
    ready: true,
    close: async () => {},
  };
  const deps = readDeps(caller, {
    delivered: ({ events, since }) => void told.push([events, since, exchange.told.at(-1)]),
  });
  await serveWatch(deps, { ...exchange, target, representation: plainJson, headers: [] });
  assert.deepEqual(told, [[2, 5, "write live"]]);
});

// rules: Query parameters, timeoutSeconds; the reference's --min-request-timeout
const rows: readonly (readonly [query: string, random: number, ms: number])[] = [
  ["", 0, 60_000],
  ["", 0.5, 90_000],
  ["", 0.999, 119_940],
  ["&timeoutSeconds=0", 0.5, 90_000],
  ["&timeoutSeconds=-3", 0.5, 90_000],
  ["&timeoutSeconds=5", 0.5, 5000],
  // As far as a timer can see.
  ["&timeoutSeconds=99999999", 0.5, 0x7fffffff],
  ["&timeoutSeconds=9223372036854775807", 0.5, 0x7fffffff],
];
for (const [query, random, ms] of rows) {
  test(`a watch with "${query}" lasts ${ms} ms when chance says ${random}`, async () => {
    assert.equal(await lasting(query, random), ms);
  });
}

for (const [text, why] of [
  ["soon", "invalid syntax"],
  ["1.5", "invalid syntax"],
  ["9223372036854775808", "value out of range"],
] as const) {
  test(`a watch that is to last ${text} is refused`, async () => {
    const message = `strconv.ParseInt: parsing "${text}": ${why}`;
    await assert.rejects(lasting(`&timeoutSeconds=${text}`, 0), { code: 400, message });
  });
}
