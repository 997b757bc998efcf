import assert from "node:assert/strict";
import { test } from "node:test";
import { blockYaml } from "@orch/codec/rewrite/block-yaml.js";
import { sliceBytes, sliceMemory } from "@orch/codec/rewrite/rewriter.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { createPacer } from "@orch/rpc/pacer.js";
import type { Receiver } from "@orch/rpc/rpc.js";
import { unavailable } from "@orch/status/api-error.js";
import { createReusedMemory, freshMemory } from "@orch/status/chunk-memory.js";
import { rewrittenStream } from "./rewritten-stream.js";

/** Several turns' worth. */
const value = { items: Array.from({ length: 4000 }, (_, i) => ({ name: `item-${i}`, text: "words ".repeat(40) })) };
const text = Buffer.from(`${JSON.stringify(value)}\n`);

/** A list as YAML whose source and receiver are driven by hand. */
function yamlOf(memory = freshMemory) {
  const turns: (() => void)[] = [];
  const pacer = createPacer((run) => void turns.push(run));
  const got: Chunk[] = [];
  const ends: (string | undefined)[] = [];
  const told: string[] = [];
  let source: Receiver<Chunk> | undefined;
  const stream = rewrittenStream(
    (receiver) => {
      source = receiver;
      const tell = (what: string) => (): void => void told.push(what);
      return { pause: tell("pause"), resume: tell("resume"), cancel: tell("cancel") };
    },
    () => ({ rewriter: blockYaml(memory), memory, pacer }),
  );
  let wanted = Number.POSITIVE_INFINITY;
  const subscription = stream({
    message(chunk) {
      got.push(chunk);
      if (got.length >= wanted) subscription.pause();
    },
    end: (error) => void ends.push(error?.reason),
  });
  return {
    got,
    ends,
    told,
    turns,
    subscription,
    send: (chunk: Chunk) => source?.message(chunk),
    end: (error?: ReturnType<typeof unavailable>) => source?.end(error),
    stopAfter: (slices: number) => {
      wanted = slices;
    },
    resume: () => {
      wanted = Number.POSITIVE_INFINITY;
      subscription.resume();
    },
    settle: () => {
      while (turns.length > 0) turns.shift()?.();
    },
    read: () => {
      const read = parseYaml(Buffer.concat(got.map(({ body }) => body)));
      return read.ok ? read.value : read.problem;
    },
  };
}

test("a list as YAML comes slice by slice, other work between them", () => {
  const { send, end, settle, got, ends, turns, read } = yamlOf();
  send({ body: text });
  end();
  assert.ok(turns.length > 0 && ends.length === 0, "what is left waits for a later turn");
  settle();
  assert.deepEqual(ends, [undefined]);
  assert.ok(Math.max(...got.map(({ body }) => body.length)) < 2 * sliceBytes);
  assert.deepEqual(read(), value);
});

test("a reader that takes nothing keeps a chunk and a slice, whatever the transport still delivers", () => {
  const { send, end, settle, stopAfter, resume, got, told, ends, read } = yamlOf();
  stopAfter(1);
  const third = Math.ceil(text.length / 3);
  const parts = [0, 1, 2].map((i) => text.subarray(i * third, (i + 1) * third));
  const released: number[] = [];
  parts.forEach((body, i) => void send({ body, release: () => void released.push(i) }));
  settle();
  assert.deepEqual([got.length, released, told.includes("resume")], [1, [], false]);
  resume();
  settle();
  assert.deepEqual(released, [0, 1, 2]);
  assert.equal(told.at(-1), "resume");
  end();
  assert.deepEqual(ends, [undefined]);
  assert.deepEqual(read(), value);
});

test("a list that breaks off ends so at once", () => {
  const { send, end, settle, got, ends } = yamlOf();
  send({ body: text });
  end(unavailable("away"));
  assert.deepEqual(ends, ["ServiceUnavailable"]);
  const before = got.length;
  settle();
  assert.equal(got.length, before);
});

test("a body that came whole and is small stays whole, of its new length", () => {
  const { send, end, got, ends } = yamlOf();
  const body = Buffer.from('{"a":["b"]}\n');
  send({ body, length: body.length });
  end();
  assert.deepEqual([got[0]?.length, got[0]?.body.toString(), ends], [7, "a:\n- b\n", [undefined]]);
});

test("a client that goes away gets no further slice, and its source is told", () => {
  const { send, settle, subscription, got, told } = yamlOf();
  send({ body: text });
  const before = got.length;
  subscription.cancel();
  settle();
  assert.deepEqual([got.length, told.at(-1)], [before, "cancel"]);
});

test("slices that were written are made in the same memory again", () => {
  const memory = createReusedMemory({ pieceBytes: sliceMemory, maxBytes: 8 * sliceMemory });
  const { send, turns, got } = yamlOf(memory);
  const seen = new Set<unknown>();
  send({ body: text });
  do {
    for (const { body, release } of got.splice(0)) {
      seen.add(body.buffer);
      release?.();
    }
    turns.shift()?.();
  } while (turns.length + got.length > 0);
  assert.ok(seen.size <= 8, `${seen.size}`);
});
