import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, type LogFormat, type LogLevel, levelOfVerbosity } from "./log.js";

function lines(format: LogFormat, level: LogLevel = "info") {
  const written: string[] = [];
  const { log } = createLog({ level, format, fields: { service: "gateway" }, write: (line) => written.push(line) });
  return { log, written };
}

test("a JSON line has level, time, fields, error and sentence", () => {
  const { log, written } = lines("json");
  log.child({ request: "r1" }).error({ err: new Error("boom", { cause: "x" }) }, "it failed");
  const line = JSON.parse(written[0] ?? "");
  assert.equal(line.level, "error");
  assert.equal(line.service, "gateway");
  assert.equal(line.request, "r1");
  assert.equal(line.msg, "it failed");
  assert.match(line.err.stack, /Error: boom\n/);
  assert.match(line.time, /^\d{4}-\d\d-\d\dT/);
});

test("a text line reads from left to right", () => {
  const { log, written } = lines("text");
  log.info({ address: "127.0.0.1:1", note: "two words" }, "listening");
  log.warn({ err: new Error("boom") }, "failed");
  assert.match(written[0] ?? "", /^\S+Z info {2}listening service=gateway address=127\.0\.0\.1:1 note="two words"\n$/);
  assert.match(written[1] ?? "", /warn {2}failed service=gateway\n {2}Error: boom\n {6}at /);
});

test("lines below the level are not written", () => {
  const { log, written } = lines("json", "warn");
  log.info({}, "no");
  log.warn({}, "yes");
  assert.equal(written.length, 1);
});

test("a line that can not be written is told to the health check until one can", () => {
  let broken = true;
  const output = createLog({
    level: "info",
    format: "json",
    write() {
      if (broken) throw new Error("no space left");
    },
  });
  output.log.info({}, "lost");
  assert.equal(output.failure(), "no space left");
  broken = false;
  output.log.info({}, "kept");
  assert.equal(output.failure(), undefined);
});

test("verbosity numbers are levels", () => {
  assert.deepEqual([0, 2, 4, 5, 6, 10].map(levelOfVerbosity), ["info", "info", "debug", "debug", "trace", "trace"]);
});
