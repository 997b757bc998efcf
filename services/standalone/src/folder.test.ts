import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "./folder.js";

test("missing folders are made private, those that are there stay", async () => {
  const root = await mkdtemp(join(tmpdir(), "orch-folder-"));
  try {
    await makeFolder(join(root, "a", "b"));
    await makeFolder(join(root, "a", "b"));
    assert.equal((await stat(join(root, "a", "b"))).mode & 0o777, 0o700);
    await writeFile(join(root, "file"), "");
    await assert.rejects(makeFolder(join(root, "file", "x")), { code: "ENOTDIR" });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("a place where no folder can be made is an error and not a wait without end", async () => {
  await assert.rejects(makeFolder("/proc/no-such-place/x"));
});
