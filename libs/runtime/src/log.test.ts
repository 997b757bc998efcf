import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, levelOfVerbosity } from "./log.js";
import type { LogFormat, LogLevel } from "./log-levels.js";

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

test("what clients choose is bounded in every line: texts, lists, errors, the sentence", () => {
  const endless = `${"x".repeat(100_000)}end`;
  const { log, written } = lines("json");
  const cause = new Error(endless);
  log.error(
    { path: endless, list: Array(1000).fill(endless), deep: { in: { in: { in: { in: { in: 1 } } } } } },
    endless,
  );
  log.error({ err: new Error(endless, { cause }) }, "failed");
  log.error({ ...Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, i])) }, "many");
  const [texts, error, many] = written.map((line) => JSON.parse(line));
  assert.equal(texts.path.length, texts.msg.length);
  assert.match(texts.path, /^x{3072}… \(95907 characters\) …x{1021}end$/);
  assert.equal(texts.list.length, 33);
  assert.equal(texts.list.at(-1), "… (968 more)");
  assert.match(JSON.stringify(texts.deep), /"…"/);
  assert.match(error.err.stack, /at .*log\.test/, "the frames are kept");
  for (const line of written) assert.ok(line.length < 200_000, `${line.length}`);
  assert.ok((written[1] ?? "").length < 20_000);
  assert.ok(Object.keys(many).length < 40);
});

test("a text line has no control characters of its texts: a terminal would obey them", () => {
  const { log, written } = lines("text");
  log.warn({ path: "/a\u001b[2J", err: new Error("b\u0007\u009b1m") }, "c\u001b]0;title");
  assert.doesNotMatch(written.join("").replaceAll("\n", ""), /\p{Cc}/u);
  assert.match(written[0] ?? "", /c\\u001b\]0;title service=gateway path="\/a\\u001b\[2J"/);
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

test("the level changes while the log is in use", () => {
  const written: string[] = [];
  const { log, setLevel } = createLog({ level: "info", format: "json", write: (line) => written.push(line) });
  log.debug({}, "before");
  setLevel("debug");
  log.debug({}, "between");
  setLevel("info");
  log.debug({}, "after");
  assert.deepEqual(
    written.map((line) => JSON.parse(line).msg),
    ["between"],
  );
});
