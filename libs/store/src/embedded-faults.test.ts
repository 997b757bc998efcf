import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ApiError } from "@orch/status/api-error.js";
import { StoreLockedError } from "./embedded/lock.js";
import { openEmbeddedStore } from "./embedded-store.js";
import { key, noRevision, type Revision, revision } from "./revision.js";
import { drive } from "./testing/drive.js";

const writerChild = fileURLToPath(new URL("./testing/writer-child.js", import.meta.url));

async function inDirectory(use: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), "orch-store-"));
  try {
    await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

interface Acknowledged {
  readonly revision: number;
  readonly text: string | undefined;
}

/** Lets the child write until it has printed so many lines and some milliseconds passed, and kills it; what it acknowledged. */
async function writeAndKill(path: string, run: number): Promise<ReadonlyMap<string, Acknowledged>> {
  const child = spawn(process.execPath, [writerChild, path, `run${run}`], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    errors += bytes.toString();
  });
  await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  await delay(Math.random() * 120);
  child.kill("SIGKILL");
  await once(child, "close");
  assert.ok(output.length > 0, `the writer wrote nothing: ${errors}`);
  const acknowledged = new Map<string, Acknowledged>();
  for (const line of output.split("\n").slice(0, -1)) {
    const [name = "", revision, text] = line.split(" ");
    acknowledged.set(name, { revision: Number(revision), text });
  }
  return acknowledged;
}

test("after kill -9 at any moment, 20 times, every acknowledged write is there and nothing is half-written", async () => {
  await inDirectory(async (path) => {
    let writes = 0;
    for (let run = 0; run < 20; run++) {
      const acknowledged = await writeAndKill(path, run);
      writes += acknowledged.size;
      const store = await openEmbeddedStore({ path, prefix: "/" });
      const newest = await store.revision();
      for (const [name, { revision, text }] of acknowledged) {
        assert.ok(newest >= revision);
        const entry = await store.get(key(name));
        // One more change of the key may have been made durable without its acknowledgement having come out.
        if (entry !== undefined && entry.revision > revision) continue;
        if (entry === undefined && text !== undefined && (await wasDeleted(store, name, revision))) continue;
        assert.deepEqual(
          [entry?.revision, entry?.value.toString()],
          text === undefined ? [undefined, undefined] : [revision, text],
        );
      }
      // The index and the log agree: every live key's value can be read, and so can all kept history.
      const { entries, count } = await store.range({ prefix: key("/") });
      assert.equal(entries.length, count);
      for (const entry of entries) assert.match(entry.value.toString(), /^run\d+-\d+-\d+-x*$/);
      await store.close();
    }
    assert.ok(writes > 200, `only ${writes} writes were tested`);
  });
});

/**
 * Whether a change after a revision deleted the key. All of them are looked at: what the killed process had made
 * durable and not yet printed can be more than one item of the watch.
 */
async function wasDeleted(
  store: Awaited<ReturnType<typeof openEmbeddedStore>>,
  name: string,
  after: number,
): Promise<boolean> {
  const newest = await store.revision();
  if (newest <= after) return false;
  const { signal } = new AbortController();
  try {
    for await (const item of store.watch({ prefix: key("/"), from: revision(after + 1), signal })) {
      const events = item.type === "events" ? item.events : [];
      if (events.some((event) => event.type === "delete" && event.key === name)) return true;
      const last = events.at(-1);
      const seen =
        item.type === "progress" ? item.revision : last?.type === "put" ? last.entry.revision : last?.revision;
      if ((seen ?? 0) >= newest) return false;
    }
  } catch (error) {
    // Compacted since: the deletion cannot be looked up.
    if (error instanceof ApiError && error.reason === "Expired") return true;
    throw error;
  }
  return false;
}

test("a second process that opens the same data is told who holds it; a killed holder does not block", async () => {
  await inDirectory(async (path) => {
    const child = spawn(process.execPath, [writerChild, path, "run"], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const lockedBy = (pid: number | undefined) => (error: unknown) =>
      error instanceof StoreLockedError && error.pid === pid && error.message.includes(String(pid));
    await assert.rejects(openEmbeddedStore({ path, prefix: "/" }), lockedBy(child.pid));
    child.kill("SIGKILL");
    await once(child, "exit");
    const store = await openEmbeddedStore({ path, prefix: "/" });
    await assert.rejects(openEmbeddedStore({ path, prefix: "/" }), lockedBy(process.pid));
    await store.close();
    await (await openEmbeddedStore({ path, prefix: "/" })).close();
  });
});

test("the file does not grow without bound when keys are written again and again", async () => {
  await inDirectory(async (path) => {
    const store = await openEmbeddedStore({ path, prefix: "/", historyMs: 20, intervalMs: 10 });
    const revisions: Revision[] = Array.from({ length: 64 }, () => noRevision);
    const rewrite = async (times: number): Promise<number> => {
      for (let i = 0; i < times; i++) {
        await Promise.all(
          revisions.map(async (expected, k) => {
            const swap = await store.swap({ key: key(`/k${k}`), expected, value: Buffer.alloc(1024, i) });
            if (swap.done) revisions[k] = swap.revision;
          }),
        );
      }
      return (await stat(join(path, "data.mdb"))).size;
    };
    const early = await rewrite(200);
    const late = await rewrite(1200);
    // 90 MB were written, of which 64 KiB live; what the journal's time keeps is a few hundred rounds at most.
    assert.ok(late < Math.max(early * 3, 40 << 20), `the file grew from ${early} to ${late} bytes`);
    await store.close();
  });
});

test("an oversized key is refused and the store goes on and closes", async () => {
  await inDirectory(async (path) => {
    const store = await openEmbeddedStore({ path, prefix: "/" });
    const tooLarge = (error: unknown): boolean => error instanceof ApiError && error.reason === "RequestEntityTooLarge";
    const put = (name: string): Promise<unknown> =>
      store.swap({ key: key(name), expected: noRevision, value: Buffer.alloc(1) });
    await assert.rejects(put(`/${"k".repeat(1978)}`), tooLarge);
    await assert.rejects(put(`/${"é".repeat(989)}`), tooLarge);
    await put(`/${"k".repeat(1977)}`);
    assert.equal((await store.range({ prefix: key("/") })).count, 1);
    await store.close();
  });
});

/** Why no small file system can be mounted here. */
function mountMissing(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "SKIPPED: the full disk test mounts a tmpfs, as root on Linux";
  return undefined;
}

describe("on a medium that is full", { skip: mountMissing() ?? false }, () => {
  let path = "";
  const mount = (...args: string[]): boolean =>
    spawnSync("mount", ["-t", "tmpfs", ...args, "tmpfs", path]).status === 0;

  before(async () => {
    path = await mkdtemp(join(tmpdir(), "orch-full-"));
  });
  after(async () => {
    spawnSync("umount", [path]);
    await rm(path, { recursive: true, force: true });
  });

  test("every swap of the group fails with InsufficientStorage, nothing is half-written, and it goes on when there is room", async (t) => {
    if (!mount("-o", "size=6m")) {
      t.skip("SKIPPED: this root may not mount a tmpfs");
      return;
    }
    const store = await openEmbeddedStore({ path, prefix: "/" });
    const d = drive(store, "/");
    const written: { name: string; revision: Revision }[] = [];
    const group = (round: number): Promise<PromiseSettledResult<Revision>[]> =>
      Promise.allSettled(Array.from({ length: 40 }, (_, i) => d.put(`k${round}-${i}`, 0, "v".repeat(2000))));
    let refused: PromiseSettledResult<Revision>[] = [];
    for (let round = 0; refused.length === 0; round++) {
      const results = await group(round);
      for (const [i, result] of results.entries()) {
        if (result.status === "fulfilled") written.push({ name: `k${round}-${i}`, revision: result.value });
      }
      refused = results.filter((result) => result.status === "rejected");
    }
    const insufficient = (result: PromiseSettledResult<Revision>): boolean =>
      result.status === "rejected" &&
      result.reason instanceof ApiError &&
      result.reason.reason === "InsufficientStorage";
    assert.ok(refused.every(insufficient));
    const last = written.at(-1)?.revision ?? noRevision;
    assert.equal(await store.revision(), last);
    assert.equal((await store.range({ prefix: d.prefix })).count, written.length);
    assert.equal(await store.get(d.key("k-none")), undefined);

    assert.ok(spawnSync("mount", ["-o", "remount,size=24m", path]).status === 0);
    assert.equal(await d.put("again", 0, "1"), last + 1);
    await store.close();
    const reopened = await openEmbeddedStore({ path, prefix: "/" });
    assert.equal((await reopened.range({ prefix: d.prefix })).count, written.length + 1);
    assert.equal(await reopened.revision(), last + 1);
    await reopened.close();
  });
});
