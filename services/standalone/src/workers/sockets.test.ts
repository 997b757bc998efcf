import assert from "node:assert/strict";
import { once } from "node:events";
import { link, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeSockets } from "./sockets.js";

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "sockets-"));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

test("only its user may enter the folder, which goes as it came", async (t) => {
  const dataDir = await folder(t);
  const sockets = await makeSockets(dataDir);
  const { mode } = await stat(dirname(sockets.caches));
  assert.equal(mode & 0o777, 0o700);
  await sockets.remove();
  assert.deepEqual(await readdir(dataDir), []);
});

test("what a killed process left goes; what a running one uses stays, and so does everything else", async (t) => {
  const dataDir = await folder(t);
  const running = await makeSockets(dataDir);
  const server = createServer().listen(running.caches);
  t.after(() => server.close());
  await once(server, "listening");
  // A socket whose process is gone: bound under another name, it is not removed when its server closes.
  const dead = await makeSockets(dataDir);
  const other = createServer().listen(`${dead.caches}-bound`);
  await once(other, "listening");
  await link(`${dead.caches}-bound`, dead.caches);
  await new Promise((resolve) => other.close(resolve));
  await mkdir(join(dataDir, "store"));
  await writeFile(join(dataDir, "workers-notes"), "mine");
  const latest = await makeSockets(dataDir);
  const expected = [
    dirname(running.caches),
    dirname(latest.caches),
    join(dataDir, "store"),
    join(dataDir, "workers-notes"),
  ];
  assert.deepEqual((await readdir(dataDir)).map((name) => join(dataDir, name)).sort(), expected.sort());
});

test("a path that the system does not take is refused with its lengths, and nothing is left", async (t) => {
  const dataDir = join(await folder(t), "x".repeat(120));
  await mkdir(dataDir);
  await assert.rejects(makeSockets(dataDir), /would have paths of \d+ bytes and the system takes 107/);
  assert.deepEqual(await readdir(dataDir), []);
});
