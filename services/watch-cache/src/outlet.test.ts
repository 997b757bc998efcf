import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chunk } from "@orch/rpc/messages.js";
import { createPacer } from "@orch/rpc/pacer.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { createOutlet } from "./outlet.js";

const kib = 1024;

/** A watch whose client takes everything, and whose first state is costly to make. */
function outletInTurns() {
  const turns: (() => void)[] = [];
  const sent: string[] = [];
  const bodies: Buffer[] = [];
  const ends: (string | undefined)[] = [];
  const sender: Sender<Chunk> = {
    deadline: undefined,
    span: undefined,
    cancelled: false,
    pendingBytes: 0,
    onCancel: () => {},
    onDrain: () => {},
    send: ({ body }) => {
      bodies.push(body);
      return sent.push(body.toString()) > 0;
    },
    end: (error) => void ends.push(error?.reason),
  };
  const outlet = createOutlet(sender, {
    maxPendingBytes: 1e6,
    pacer: createPacer((run) => void turns.push(run), 128 * kib),
    errorFrame: (error) => Buffer.from(error.reason),
  });
  return { outlet, turns, sent, bodies, ends };
}

test("a first state of small events that are made of large objects takes turns; live events wait behind it", () => {
  const { outlet, turns, sent } = outletInTurns();
  let made = 0;
  outlet.accept();
  for (let i = 0; i < 40; i++) {
    outlet.queue(32 * kib, () => {
      made++;
      return Buffer.from(`${i} `);
    });
  }
  outlet.goLive();
  outlet.send({ body: Buffer.from("live") });
  assert.ok(made <= 4, `${made}`);
  for (let before = made; turns.length > 0; before = made) {
    turns.shift()?.();
    assert.ok(made - before <= 4);
  }
  const numbers = Array.from({ length: 40 }, (_, i) => `${i} `).join("");
  assert.deepEqual([sent.join(""), sent.at(-1)], [`${numbers}live`, "live"]);
  assert.equal(outlet.live, true);
});

test("large frames go out as they are, which other watches share; small ones beside each other are joined", () => {
  const { outlet, turns, sent, bodies } = outletInTurns();
  const large = [Buffer.alloc(20 * kib, "L"), Buffer.alloc(30 * kib, "M")] as const;
  const [first, second] = large;
  outlet.accept();
  for (const frame of [Buffer.from("a"), Buffer.from("b"), first, Buffer.from("c"), second, Buffer.from("d")]) {
    outlet.queue(frame.length, () => frame);
  }
  outlet.goLive();
  while (turns.length > 0) turns.shift()?.();
  assert.deepEqual(sent, ["", "ab", first.toString(), "c", second.toString(), "d"]);
  assert.deepEqual([bodies[2] === first, bodies[4] === second], [true, true]);
});

test("a watch that ends before its turn makes nothing more", () => {
  const { outlet, turns, sent } = outletInTurns();
  outlet.accept();
  for (let i = 0; i < 20; i++) outlet.queue(64 * kib, () => Buffer.from("x"));
  outlet.goLive();
  const before = sent.length;
  outlet.close();
  while (turns.length > 0) turns.shift()?.();
  assert.equal(sent.length, before);
});

test("an event that can not be made ends its watch with an error", () => {
  const { outlet, turns, sent, ends } = outletInTurns();
  outlet.accept();
  outlet.queue(256 * kib, () => Buffer.from("x"));
  outlet.queue(1, () => assert.fail("broken"));
  outlet.goLive();
  while (turns.length > 0) turns.shift()?.();
  assert.deepEqual([sent.at(-1), ends], ["InternalError", [undefined]]);
});
