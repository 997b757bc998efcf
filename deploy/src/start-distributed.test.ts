import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";

const script = fileURLToPath(new URL("./main.js", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly err: string;
}

interface Bed {
  /** What the command takes for the system's temporary folder. */
  readonly temporary: string;
  /** A folder of programs that the command finds before all others; alone where `only`. */
  readonly programs: string;
}

async function inBed(use: (bed: Bed) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "orch-start-"));
  const [temporary, programs] = [join(root, "tmp"), join(root, "bin")];
  await mkdir(temporary);
  await mkdir(programs);
  try {
    await use({ temporary, programs });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const small = ["--secure-port=0", "--gateways=1", "--watch-caches=1", "--controller-managers=0", "--etcd-members=1"];

function start({ temporary, programs }: Bed, path = `${programs}:${process.env["PATH"]}`) {
  const env = { ...process.env, TMPDIR: temporary, PATH: path };
  const child = spawn(process.execPath, [script, ...small], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    err += bytes.toString();
  });
  const ended = once(child, "close").then((): Ended => ({ code: child.exitCode, err }));
  return { child, ended, out: () => out };
}

test("without etcd the local cluster says in a line what to install, and leaves nothing", async () => {
  await inBed(async (bed) => {
    const { code, err } = await start(bed, bed.programs).ended;
    assert.equal(
      err,
      "orch-local-cluster: there is no program etcd here: install it (Debian: apt-get install etcd-server)\n",
    );
    assert.equal(code, 1);
    assert.deepEqual(await readdir(bed.temporary), []);
  });
});

test("an etcd that ends at once is told in a line, and nothing is left", async () => {
  await inBed(async (bed) => {
    await writeFile(join(bed.programs, "etcd"), "#!/bin/sh\necho 'of another world' >&2\nexit 3\n");
    await chmod(join(bed.programs, "etcd"), 0o755);
    const { code, err } = await start(bed).ended;
    assert.match(err, /^orch-local-cluster: could not start: etcd ended: of another world\s*\n$/);
    assert.equal(code, 1);
    assert.deepEqual(await readdir(bed.temporary), []);
  });
});

const mountable = process.platform === "linux" && process.getuid?.() === 0;

test("a full disk is told in a line, and nothing is left", {
  skip: mountable ? false : "SKIPPED: mounts a tmpfs, as root on Linux",
}, async (t) => {
  const missing = etcdMissing();
  if (missing !== undefined) return t.skip(missing);
  await inBed(async (bed) => {
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", bed.temporary]).status !== 0) {
      return t.skip("SKIPPED: this root may not mount a tmpfs");
    }
    try {
      const { code, err } = await start(bed).ended;
      assert.match(
        err,
        /^orch-local-cluster: no space is left for the data of this cluster: free some, or have TMPDIR .*\n$/,
      );
      assert.equal(code, 1);
      assert.deepEqual(await readdir(bed.temporary), []);
    } finally {
      spawnSync("umount", ["-l", bed.temporary]);
    }
  });
});

for (const when of ["once it serves", "while it starts"] as const) {
  test(`stopped in order ${when} it leaves no keys and no files`, async (t) => {
    const missing = etcdMissing();
    if (missing !== undefined) return t.skip(missing);
    await inBed(async (bed) => {
      const { child, ended, out } = start(bed);
      if (when === "once it serves") while (!out().includes("ready at")) await once(child.stdout, "data");
      else while ((await readdir(bed.temporary)).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill("SIGTERM");
      assert.deepEqual(await ended, { code: 0, err: "" });
      assert.deepEqual(await readdir(bed.temporary), []);
    });
  });
}
