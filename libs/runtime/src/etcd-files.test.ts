import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createManualClock } from "./clock.js";
import { followedEtcdSettings } from "./etcd-files.js";

const values = {
  "etcd-servers": ["https://localhost:2379"],
  "etcd-prefix": "/orch",
  "etcd-cafile": "",
  "etcd-certfile": "",
  "etcd-keyfile": "",
  "etcd-username": "",
  "etcd-password-file": "",
  "etcd-compaction-interval": 0,
};
const log = { info: () => {}, error: () => {} };

/** Until a look at the files, which takes some turns, has changed a text or has surely not. */
async function look(clock: ReturnType<typeof createManualClock>, done: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !done(); i++) {
    clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("etcd's authority is read again when its file changes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-etcd-files-"));
  try {
    const clock = createManualClock();
    const ca = join(folder, "ca.crt");
    await writeFile(ca, "");
    const { tls } = await followedEtcdSettings({ ...values, "etcd-cafile": ca }, { clock, log });
    assert.ok(tls);
    const text = (): string => tls().ca?.toString() ?? "none";
    assert.equal(text(), "");
    await writeFile(ca, "# another\n");
    await look(clock, () => text() !== "");
    assert.equal(text(), "# another\n");
    assert.deepEqual(Object.keys(tls()), ["ca"], "what no flag names is not there");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("without files there is nothing to follow", async () => {
  const clock = createManualClock();
  const plain = await followedEtcdSettings({ ...values, "etcd-servers": ["http://a:2379"] }, { clock, log });
  assert.equal(plain.tls, undefined);
  const secure = await followedEtcdSettings(values, { clock, log });
  assert.deepEqual(secure.tls?.(), {});
});

test("a file that is not there ends it with its name", async () => {
  const clock = createManualClock();
  const missing = followedEtcdSettings({ ...values, "etcd-cafile": "/nowhere/ca.crt" }, { clock, log });
  await assert.rejects(missing, /\/nowhere\/ca\.crt/);
});
