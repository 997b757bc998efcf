import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { readBody } from "./request-body.js";

test("a body in chunks of one byte is joined as it comes: none of its chunks is kept", async () => {
  const text = "abcdefghij".repeat(2000);
  const chunk = Buffer.alloc(1);
  const source = new Readable({ read() {} });
  const body = readBody(source, {}, 1_000_000);
  // The same memory each time: who kept the chunks would have the last letter only.
  for (let i = 1; i < text.length; i++) {
    if (i === 1) source.emit("data", Buffer.from(text.slice(0, 1)));
    chunk[0] = text.charCodeAt(i);
    source.emit("data", chunk);
  }
  source.push(null);
  source.emit("end");
  assert.equal((await body).toString(), text);
});

test("a body in one chunk is that chunk", async () => {
  const chunk = Buffer.from("{}");
  const source = Readable.from([chunk], { objectMode: true });
  assert.equal((await readBody(source, {}, 10)).buffer, chunk.buffer);
});

test("no body is an empty one, and one that is too long is refused at the first byte too many", async () => {
  assert.equal((await readBody(Readable.from([]), {}, 10)).length, 0);
  const long = Readable.from(["12345", "678901"].map((part) => Buffer.from(part)));
  await assert.rejects(readBody(long, {}, 10), { code: 413 });
  await assert.rejects(readBody(Readable.from([]), { "content-length": "11" }, 10), { code: 413 });
});

test("a body whose client goes away is refused", async () => {
  const source = new Readable({ read() {} });
  const body = readBody(source, {}, 10);
  source.push("12");
  setImmediate(() => source.destroy());
  await assert.rejects(body, { code: 400 });
});
