import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { auditIdOf } from "@orch/audit/read-line.js";
import { createLogSink } from "./log.js";
import { createLogFile, type LogFile, type LogFileOptions } from "./log-file.js";
import { eventLine, testSink } from "./sink.suite.js";

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "audit-log-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const usual = { maxBytes: 100 << 20, maxAgeMs: 0, maxBackups: 0, compress: false, now: () => 0, warn: () => {} };
function fileAt(t: TestContext, path: string, options: Partial<LogFileOptions> = {}): LogFile {
  const file = createLogFile({ ...usual, path, ...options });
  t.after(() => file.close());
  return file;
}

const idsIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => auditIdOf(Buffer.from(line)));

testSink("log", async (t) => {
  const path = join(await folderFor(t), "new", "audit.log");
  // A folder in the place of the file is what no process can write to, whoever runs it.
  let file = fileAt(t, path);
  const sink = createLogSink({ append: (bytes) => file.append(bytes), close: () => file.close() }, "json");
  return {
    sink,
    arrived: async () => idsIn(await readFile(path, "utf8")),
    async cutOff() {
      await file.close();
      const elsewhere = join(path, "..", "folder");
      await mkdir(elsewhere);
      file = fileAt(t, elsewhere);
      return async () => {
        await rmdir(elsewhere);
        file = fileAt(t, path);
      };
    },
  };
});

test("the format legacy is lines of words, and what is no event is left out", async (t) => {
  const path = join(await folderFor(t), "audit.log");
  const sink = createLogSink(fileAt(t, path), "legacy");
  await sink.write([eventLine("a"), Buffer.from("junk"), eventLine("b")]);
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => /AUDIT: id="(\w+)" stage="ResponseComplete"/.exec(line)?.[1]),
    ["a", "b"],
  );
});

test("the file is its owner's alone", async (t) => {
  const path = join(await folderFor(t), "audit.log");
  await createLogSink(fileAt(t, path), "json").write([eventLine("a")]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test("a file that grows too large is put aside by its time, and the oldest of too many go", async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, "audit.log");
  let now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const file = fileAt(t, path, { maxBytes: 1_000, maxBackups: 2, now: () => now });
  for (let i = 0; i < 10; i++) {
    await file.append(Buffer.from(`${"x".repeat(398)}${i}\n`));
    now += 1_000;
  }
  await file.close();
  const names = (await readdir(folder)).sort();
  assert.equal(names.length, 3, names.join());
  assert.match(names[0] ?? "", /^audit-2026-01-02T03-04-\d\d\.678\.log$/);
  assert.equal(names.at(-1), basename(path));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  assert.deepEqual(
    texts
      .join("")
      .match(/\d(?=\n)/g)
      ?.map(Number),
    [4, 5, 6, 7, 8, 9],
  );
});

test("what was put aside is compressed, and goes with its age", async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, "audit.log");
  const dayMs = 24 * 60 * 60 * 1000;
  let now = Date.UTC(2026, 0, 2);
  const file = fileAt(t, path, { maxBytes: 10, maxAgeMs: dayMs, compress: true, now: () => now });
  for (const word of ["first", "second", "third"]) {
    await file.append(Buffer.from(`${word}----\n`));
    now += dayMs * 0.4;
  }
  await file.close();
  const names = (await readdir(folder)).sort();
  assert.equal(names.length, 3, names.join());
  const packed = names.filter((name) => name.endsWith(".log.gz"));
  assert.equal(packed.length, 2);
  assert.equal(gunzipSync(await readFile(join(folder, packed[0] ?? ""))).toString(), "first----\n");
  now += dayMs;
  const again = fileAt(t, path, { maxBytes: 10, maxAgeMs: dayMs, compress: true, now: () => now });
  await again.append(Buffer.from("fourth----\n"));
  await again.close();
  assert.equal((await readdir(folder)).length, 2);
});

test("files of others in the folder are left alone", async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, "audit.log");
  for (const name of ["audit-x.log", "audit-2020-01-01T00-00-00.000.txt", "other-2020-01-01T00-00-00.000.log"]) {
    await writeFile(join(folder, name), "");
    await utimes(join(folder, name), 0, 0);
  }
  const file = fileAt(t, path, { maxBytes: 10, maxBackups: 1, maxAgeMs: 1, now: () => Date.UTC(2030, 0) });
  for (let i = 0; i < 3; i++) await file.append(Buffer.from("0123456789\n"));
  await file.close();
  assert.equal((await readdir(folder)).filter((name) => name.startsWith("other-") || name.includes("x")).length, 3);
});

test("half a line of before does not spoil the next one", async (t) => {
  const path = join(await folderFor(t), "audit.log");
  await writeFile(path, '{"half":');
  await chmod(path, 0o600);
  await createLogSink(fileAt(t, path), "json").write([eventLine("a")]);
  assert.deepEqual((await readFile(path, "utf8")).split("\n").slice(0, 1), ['{"half":']);
  assert.deepEqual(idsIn(await readFile(path, "utf8")), ["", "a"]);
});
