import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../commands.js";
import { openTestMachine } from "../testing/object-server.js";
import { candidates } from "./candidates.js";

const rows: readonly (readonly [line: string, found: readonly string[]])[] = [
  ["tok", ["token"]],
  ["token ", ["create", "delete", "generate", "list"]],
  ["token create abcdef.0123456789abcdef --us", ["--usages"]],
  ["config print i", ["init-defaults"]],
  ["config print init-defaults --api-dialect=", ["--api-dialect=kubernetes", "--api-dialect=orch"]],
  ["config images list --output=j", ["--output=json"]],
  ["token create --dry-run=", ["--dry-run=false", "--dry-run=true"]],
  ["nothing --", ["--help"]],
  ["token create --=", []],
];
for (const [line, found] of rows) {
  test(`orchadm ${line}▮`, () => assert.deepEqual(candidates(root, line.split(" ")), found));
}

test("a shell that has read the script offers them", async () => {
  const machine = await openTestMachine();
  const folder = mkdtempSync(join(tmpdir(), "orchadm-completion-"));
  try {
    const { output } = await machine.run("completion", "bash");
    // The program, as far as the script asks it: it shows what it was asked.
    writeFileSync(join(folder, "orchadm"), '#!/bin/sh\nshift 3\nprintf "%s|" "$@"\n');
    chmodSync(join(folder, "orchadm"), 0o755);
    const ask = (line: string): string =>
      execFileSync(
        "bash",
        ["-c", `${output}\nCOMP_LINE="$1" COMP_POINT=\${#1}\n_orchadm\nprintf '%s\\n' "\${COMPREPLY[@]}"`, "-", line],
        { env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` } },
      ).toString();
    assert.equal(ask("orchadm tok"), "tok|\n");
    assert.equal(ask("orchadm config print "), "config|print||\n");
    const zsh = await machine.run("completion", "zsh");
    assert.match(zsh.output, /^#compdef orchadm\n/);
    const bad = await machine.run("completion", "fish");
    assert.deepEqual([bad.code, bad.errors], [1, "usage: orchadm completion bash|zsh\n"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await machine.close();
  }
});

test("version tells of the build in each form", async () => {
  const machine = await openTestMachine();
  try {
    const short = (await machine.run("version", "-o", "short")).output.trim();
    assert.match(short, /^v1\.32\.0/);
    assert.equal(JSON.parse((await machine.run("version", "-o", "json")).output).clientVersion.gitVersion, short);
    assert.match((await machine.run("version", "-o", "yaml")).output, /^clientVersion:\n {2}major: "1"\n/);
    assert.ok((await machine.run("version")).output.startsWith(`orchadm version: ${short}`));
  } finally {
    await machine.close();
  }
});
