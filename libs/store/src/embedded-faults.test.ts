import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
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
  const unmount = (): void => assert.equal(spawnSync("umount", [path]).status, 0);
  after(async () => {
    // What a test that failed has left.
    while (spawnSync("umount", ["-l", path]).status === 0);
    await rm(path, { recursive: true, force: true });
  });

  /** A store of some entries on a medium that then becomes full: by what others write there, or by its own. */
  async function fullStore(by: "others" | "itself", size = "24m"): Promise<FullStore> {
    const store = await openEmbeddedStore({ path, prefix: "/", logger, historyMs: 100, intervalMs: 50 });
    const d = drive(store, "/");
    const written: { name: string; revision: Revision }[] = [];
    const put = async (name: string, text: string): Promise<void> => {
      written.push({ name, revision: await d.put(name, 0, text) });
    };
    for (let i = 0; i < 50; i++) await put(`k${i}`, "v".repeat(2000));
    if (by === "others") await writeFile(join(path, "others"), Buffer.alloc(64 << 20)).catch(() => undefined);
    for (let round = 0; !store.condition.full; round++) {
      const group = Array.from({ length: 40 }, (_, i) => put(`k${round}-${i}`, "v".repeat(2000)));
      const refused = (await Promise.allSettled(group)).filter(({ status }) => status === "rejected");
      assert.ok(refused.every(insufficient), `a medium of ${size} that is full`);
    }
    return { store, d, written };
  }

  const lines: string[] = [];
  const note = (_: unknown, message: string): void => void lines.push(message.split(";")[0]?.split(":")[0] ?? "");
  const logger = { info: note, warn: note, error: note };
  const insufficient = (result: PromiseSettledResult<unknown>): boolean =>
    result.status === "rejected" && result.reason instanceof ApiError && result.reason.reason === "InsufficientStorage";
  const refused = { reason: "InsufficientStorage" };

  for (const by of ["others", "itself"] as const) {
    test(`by ${by}: what is essential goes on, the rest is refused whole, and all goes on when there is room`, async (t) => {
      if (!mount("-o", "size=24m")) {
        t.skip("SKIPPED: this root may not mount a tmpfs");
        return;
      }
      lines.length = 0;
      const { store, d, written } = await fullStore(by);
      const count = written.length;
      assert.equal((await store.range({ prefix: d.prefix })).count, count);
      await assert.rejects(d.put("ordinary", 0, "1"), refused);
      await assert.rejects(d.put("k0", written[0]?.revision ?? 0, "1"), refused);
      // One commit with both: the one is told, the other done.
      const [first, second] = await Promise.allSettled([
        d.put("ordinary", 0, "1"),
        d.remove("k1", written[1]?.revision ?? 0),
      ]);
      assert.deepEqual([insufficient(first), second.status], [true, "fulfilled"]);
      // A transaction is taken whole or not at all, whatever of it there is room for.
      const put = { key: d.key("ordinary"), expected: noRevision, value: Buffer.from("1") };
      const removal = { key: d.key("k20"), expected: written[20]?.revision ?? noRevision, value: undefined };
      await assert.rejects(async () => store.transactions?.commit([put, removal]), refused);
      assert.ok((await store.get(d.key("k20"))) !== undefined);
      const gone = await store.transactions?.commit([removal]);
      assert.equal(gone?.done, true);
      // A lease is renewed for as long as it takes: what it replaces makes room.
      let lease = noRevision;
      for (let i = 0; i < 3000; i++) {
        const change = { key: d.key("lease"), expected: lease, value: Buffer.from("l".repeat(300)), essential: true };
        const swap = await store.swap(change);
        assert.ok(swap.done);
        lease = swap.revision;
      }
      // Who takes all that is kept for the essential leaves deletions their part of it.
      const greedy = Array.from({ length: 3000 }, (_, i) => {
        const change = { key: key(`/greedy${i}`), expected: noRevision, value: Buffer.alloc(4000), essential: true };
        return store.swap(change);
      });
      const taken = await Promise.allSettled(greedy);
      assert.ok(taken.some(insufficient));
      for (const [i, { status }] of taken.entries()) {
        if (status === "fulfilled") await d.remove(`greedy${i}`, (await store.get(d.key(`greedy${i}`)))?.revision ?? 0);
      }
      for (const { name, revision } of written.slice(2, 20)) await d.remove(name, revision);
      assert.equal((await store.range({ prefix: d.prefix })).count, count - 20 + 1);
      assert.deepEqual(lines, ["the store has no room left"]);

      if (by === "others") await rm(join(path, "others"));
      else assert.ok(spawnSync("mount", ["-o", "remount,size=64m", path]).status === 0);
      await until(() => !store.condition.full);
      await d.put("again", 0, "1");
      assert.deepEqual(lines, ["the store has no room left", "the store has room again, and its reserve"]);
      await store.close();
      unmount();
    });
  }

  test("what is deleted makes room though the medium stays full", async (t) => {
    if (!mount("-o", "size=24m")) {
      t.skip("SKIPPED: this root may not mount a tmpfs");
      return;
    }
    const { store, d, written } = await fullStore("itself");
    for (const { name, revision } of written) await d.remove(name, revision);
    await until(() => !store.condition.full);
    await d.put("again", 0, "1");
    await store.close();
    unmount();
  });

  test("after kill -9 on it a server starts, reads and deletes", async (t) => {
    if (!mount("-o", "size=24m")) {
      t.skip("SKIPPED: this root may not mount a tmpfs");
      return;
    }
    const child = spawn(process.execPath, [writerChild, path, "run"], { stdio: ["ignore", "pipe", "ignore"] });
    await once(child.stdout, "data");
    await writeFile(join(path, "others"), Buffer.alloc(64 << 20)).catch(() => undefined);
    child.kill("SIGKILL");
    await once(child, "close");
    await writeFile(join(path, "more"), Buffer.alloc(64 << 20)).catch(() => undefined);
    const store = await openEmbeddedStore({ path, prefix: "/", logger });
    const { entries } = await store.range({ prefix: key("/") });
    assert.ok(entries.length > 0);
    for (const { key: at, revision: expected } of entries) {
      assert.ok((await store.swap({ key: at, expected, value: undefined })).done);
    }
    await store.close();
    unmount();
  });

  test("a new store is not begun on it", async (t) => {
    if (!mount("-o", "size=2m")) {
      t.skip("SKIPPED: this root may not mount a tmpfs");
      return;
    }
    await assert.rejects(openEmbeddedStore({ path, prefix: "/" }), /there is no room for a new store in/);
    unmount();
  });
});

interface FullStore {
  readonly store: Awaited<ReturnType<typeof openEmbeddedStore>>;
  readonly d: ReturnType<typeof drive>;
  readonly written: readonly { readonly name: string; readonly revision: Revision }[];
}

/** Waits for it; a test that waits for ever fails by its runner's patience. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}
