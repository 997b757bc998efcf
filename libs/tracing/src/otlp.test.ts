import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { spanText, tellEvents } from "@orch/status/span.js";
import type { CollectorTarget } from "./endpoint.js";
import { createOtlpTracing } from "./otlp.js";
import { type Behaviour, outlineOf, startCollector, treesOf } from "./testing/collector.js";
import type { SpanFate } from "./tracing.js";

const none = { traceparent: undefined, tracestate: undefined, auditId: "id" };
const parent = (flags: string): string => `00-${"a".repeat(32)}-${"b".repeat(16)}-${flags}`;

interface Given {
  readonly behaviour?: Behaviour;
  readonly samplingRate?: number;
  readonly random?: () => number;
  readonly target?: CollectorTarget;
  readonly at?: string;
}

async function tracingTo(t: TestContext, given: Given = {}) {
  const collector = await startCollector(given.behaviour, given.at);
  t.after(() => collector.stop());
  const warnings: string[] = [];
  const fates: Record<SpanFate, number> = { exported: 0, failed: 0, dropped: 0 };
  const tracing = createOtlpTracing(
    {
      collector: given.target ?? { type: "network", address: collector.address },
      samplingRate: given.samplingRate ?? 1,
    },
    {
      ...{ service: "apiserver", instance: "apiserver-x", random: given.random ?? Math.random },
      count: (fate, spans) => {
        fates[fate] += spans;
      },
      warn: (problem) => void warnings.push(problem),
    },
  );
  return { tracing, collector, fates, warnings };
}

test("a stop sends what is left", async (t) => {
  const { tracing, collector, fates } = await tracingTo(t);
  const root = tracing.request("GET", none, () => ({ a: 1 }));
  const child = root?.child("inner", { b: "c" });
  child?.event("happened", { d: true });
  child?.end("it broke");
  root?.end();
  await tracing.stop();
  const [first, second] = collector.spans;
  assert.deepEqual(
    [first?.name, first?.failed, first?.events],
    ["inner", true, [{ name: "happened", attributes: { d: true } }]],
  );
  assert.deepEqual([second?.name, second?.kind, second?.attributes], ["GET", "SERVER", { a: 1 }]);
  assert.equal(outlineOf(treesOf(collector.spans, first?.traceId ?? "")), "GET (inner)");
  assert.deepEqual(fates, { exported: 2, failed: 0, dropped: 0 });
});

test("the rate decides where a trace begins, its sender where it goes on", async (t) => {
  const numbers = [0.0009, 0.001, 0.5];
  const { tracing } = await tracingTo(t, { samplingRate: 0.001, random: () => numbers.shift() ?? 0.9 });
  const begun = () => tracing.request("GET", none, () => ({}))?.traceparent.slice(-2);
  assert.deepEqual([begun(), begun(), begun()], ["01", undefined, undefined]);
  const goesOn = (flags: string) => tracing.request("GET", { ...none, traceparent: parent(flags) }, () => ({}));
  assert.match(goesOn("01")?.traceparent ?? "", /^00-a{32}-(?!b{16})[0-9a-f]{16}-01$/);
  assert.equal(goesOn("00")?.child("x").traceparent, parent("00"));
  await tracing.stop();
});

test("without a rate no trace begins here", async (t) => {
  const { tracing } = await tracingTo(t, { samplingRate: 0, random: () => 0 });
  assert.equal(
    tracing.request("GET", none, () => ({})),
    undefined,
  );
  assert.equal(tracing.begin("work", {}), undefined);
  await tracing.stop();
});

test("another process takes part: its spans are below the caller's, its events travel back", async (t) => {
  const { tracing, collector } = await tracingTo(t);
  const { tracing: other } = await tracingTo(t, {
    target: { type: "network", address: collector.address },
    samplingRate: 0,
  });
  const root =
    tracing.request("GET", { ...none, traceparent: parent("01"), tracestate: "a=b" }, () => ({})) ?? assert.fail();
  const joined = other.join(spanText(root)) ?? assert.fail("it is a span");
  assert.deepEqual([joined.traceparent, joined.tracestate, joined.auditId], [root.traceparent, "a=b", "id"]);
  joined.child("there").end();
  joined.event("said", { n: 1 });
  joined.end();
  tellEvents(root, joined.told());
  root.end();
  await tracing.stop();
  await other.stop();
  const [tree] = treesOf(collector.spans, "a".repeat(32));
  assert.equal(outlineOf(tree === undefined ? [] : [tree]), "GET (there)");
  assert.deepEqual(tree?.events, [{ name: "said", attributes: { n: 1 } }]);
});

test("a peer tells of a bounded number of events, and of what is none nothing is taken", async (t) => {
  const { tracing, collector } = await tracingTo(t);
  const root = tracing.request("GET", none, () => ({})) ?? assert.fail();
  const joined = tracing.join(spanText(root)) ?? assert.fail();
  for (let i = 0; i < 1000; i++) joined.event(`e${i}`);
  tellEvents(root, joined.told());
  for (const text of ["", "{", "1", "[1, null]", '[{"name": 1}]', '{"name": "x"}']) tellEvents(root, text);
  root.end();
  await tracing.stop();
  assert.equal(collector.spans[0]?.events.length, 64);
  for (const text of ["", "x", "\n\n", `${parent("zz")}\nid\n`]) assert.equal(tracing.join(text), undefined);
});

test("a Unix domain socket is a collector's address", async (t) => {
  const path = join(tmpdir(), `orch-collector-${process.pid}.sock`);
  t.after(() => rm(path, { force: true }));
  const { tracing, collector } = await tracingTo(t, { at: `unix:${path}`, target: { type: "socket", path } });
  tracing.request("GET", none, () => ({}))?.end();
  await tracing.stop();
  assert.equal(collector.spans.length, 1);
});

for (const behaviour of ["hang", "refuse"] as const) {
  test(`a collector that would ${behaviour} costs a bounded queue, and a stop of bounded length`, async (t) => {
    const { tracing, fates } = await tracingTo(t, { behaviour });
    const many = 20_000;
    for (let i = 0; i < many; i++) tracing.request("GET", none, () => ({}))?.end();
    assert.ok(fates.dropped >= many - 5000, JSON.stringify(fates));
    await tracing.stop();
    assert.equal(fates.exported, 0);
    tracing.request("GET", none, () => ({}))?.end();
  });
}

test("a collector that is away stops nobody", async (t) => {
  const { tracing, fates } = await tracingTo(t, { target: { type: "network", address: "127.0.0.1:1" } });
  tracing.request("GET", none, () => ({}))?.end();
  await tracing.stop();
  assert.equal(fates.exported, 0);
});

test("what comes after a span's end is nothing, and nobody complains", async (t) => {
  const { tracing, collector, warnings } = await tracingTo(t);
  const span = tracing.request("GET", none, () => ({})) ?? assert.fail();
  span.end();
  span.event("late");
  span.set({ late: true });
  span.end("late");
  await tracing.stop();
  assert.deepEqual(
    collector.spans.map(({ events, attributes, failed }) => ({ events, attributes, failed })),
    [{ events: [], attributes: {}, failed: false }],
  );
  assert.deepEqual(warnings, []);
});

test("what clients write is cut", async (t) => {
  const { tracing, collector } = await tracingTo(t);
  tracing.request("GET", none, () => ({ "user_agent.original": "x".repeat(100_000) }))?.end();
  await tracing.stop();
  assert.equal(String(collector.spans[0]?.attributes["user_agent.original"]).length, 1024);
});
