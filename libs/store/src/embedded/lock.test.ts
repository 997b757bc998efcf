import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { StoreLockedError, takeLock } from "./lock.js";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "orch-lock-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a lock is one's own until it is given back", (t) => {
  const folder = folderOf(t);
  const release = takeLock(folder);
  assert.throws(() => takeLock(folder), StoreLockedError);
  release();
  takeLock(folder)();
});

const lockModule = new URL("./lock.js", import.meta.url).href;
const hasProc = existsSync("/proc/self/stat");

test("a holder that was killed holds nothing, though its parent has taken no note", { skip: !hasProc }, async (t) => {
  const folder = folderOf(t);
  const held = `import { takeLock } from ${JSON.stringify(lockModule)}; takeLock(${JSON.stringify(folder)}); console.log(process.pid); setInterval(() => {}, 1000);`;
  // A shell that stops never waits for its child.
  const parent = spawn("sh", ["-c", `"$0" --input-type=module -e "$1" & kill -STOP $$`, process.execPath, held], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(parent.stdout, "data");
  const pid = Number(String(line));
  assert.throws(() => takeLock(folder), StoreLockedError);
  process.kill(pid, "SIGKILL");
  const state = (): string => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] ?? "";
  while (state() !== "Z") await delay(10);
  takeLock(folder)();
  parent.kill("SIGKILL");
  await once(parent, "exit");
});
