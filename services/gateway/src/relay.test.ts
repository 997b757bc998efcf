import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chunk } from "@orch/rpc/messages.js";
import type { Receiver } from "@orch/rpc/rpc.js";
import { type ApiError, unavailable } from "@orch/status/api-error.js";
import { type OpenStream, relay } from "./relay.js";
import { fakeExchange } from "./testing/fake-exchange.js";

interface Relayed {
  /** What the response was told, in order. */
  readonly told: readonly string[];
  readonly error: ApiError | undefined;
}

/** Relays what a stream sends, each step in a turn of its own. */
async function relayed(steps: readonly ((to: Receiver<Chunk>) => void)[], cutOnFailure: boolean): Promise<Relayed> {
  const { response, told } = fakeExchange({ target: "/api/v1/configmaps" });
  const headersOf = (): readonly string[] => ["Content-Type", "text/plain"];
  const open: OpenStream = (receiver) => {
    const next = (i: number): void => {
      steps[i]?.(receiver);
      if (i + 1 < steps.length) setImmediate(next, i + 1);
    };
    setImmediate(next, 0);
    return { cancel: () => {}, pause: () => {}, resume: () => {} };
  };
  return { error: await relay(response, open, { headersOf, cutOnFailure }), told };
}

const chunk =
  (text: string, length?: number) =>
  (to: Receiver<Chunk>): void =>
    to.message(length === undefined ? { body: Buffer.from(text) } : { body: Buffer.from(text), length });
const done = (to: Receiver<Chunk>): void => to.end();
const failed = (to: Receiver<Chunk>): void => to.end(unavailable("away"));

const type = "Content-Type text/plain";
const rows: readonly (readonly [what: string, steps: Parameters<typeof relayed>[0], told: readonly string[]])[] = [
  ["whole in one chunk is sent at once", [chunk("abc", 3), done], [`send ${type}: abc`]],
  [
    "of a known length says it",
    [chunk("abc", 5), chunk("de"), done],
    [`stream ${type} Content-Length 5`, "write abc", "write de", "end"],
  ],
  ["of no known length says none", [chunk("abc"), done], [`stream ${type}`, "write abc", "end"]],
  ["without a byte is an empty answer", [done], [`stream ${type}`, "end"]],
  ["that breaks off is cut", [chunk("abc", 5), failed], [`stream ${type} Content-Length 5`, "write abc", "cut"]],
  ["that was whole before its stream broke off stays so", [chunk("abc", 3), failed], [`send ${type}: abc`]],
];
for (const [what, steps, told] of rows) {
  test(`a list ${what}`, async () => {
    const relay = await relayed(steps, true);
    assert.deepEqual(relay.told, told);
    assert.equal(relay.error, undefined);
  });
}

test("a stream that fails before anything came is an error that can still be answered", async () => {
  for (const cutOnFailure of [true, false]) {
    const { told, error } = await relayed([failed], cutOnFailure);
    assert.deepEqual(told, []);
    assert.equal(error?.reason, "ServiceUnavailable");
  }
});

test("a watch begins with its acceptance and may end anywhere", async () => {
  const { told } = await relayed([chunk(""), chunk("event"), failed], false);
  assert.deepEqual(told, [`stream ${type}`, "write event", "end"]);
});
