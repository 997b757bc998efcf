import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeAssets } from "./assets.js";
import { help } from "./help.js";

const folder = mkdtempSync(join(tmpdir(), "orch-assets-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const bin = join(folder, "it's a folder");
mkdirSync(bin);
const program = (name: string, text: string): string => {
  const path = join(bin, name);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
};
const node = program("node", '#!/bin/sh\nprintf "%s\\n" "$@"\n');
const world = { node, script: join(bin, "main.js"), path: "/nowhere", cache: folder };
const run = (path: string, ...args: readonly string[]): string => execFileSync(path, args, { encoding: "utf8" });

test("the folder's programs start this one with the arguments as they are, and answer for help alone", () => {
  const { path, kubectl } = makeAssets(world, undefined);
  assert.equal(kubectl, undefined);
  assert.deepEqual(readdirSync(path).sort(), ["etcd", "kube-apiserver"]);
  const server = join(path, "kube-apiserver");
  assert.equal(run(server, "--help"), help);
  assert.equal(run(server, "--a=b c", "$HOME", ""), `${world.script}\n--a=b c\n$HOME\n\n`);
  assert.equal(run(join(path, "etcd"), "--data-dir", "x"), `${world.script}\netcd\n--data-dir\nx\n`);
});

test("the folder is the same each time, and another for another program", () => {
  const { path } = makeAssets(world, undefined);
  assert.equal(makeAssets(world, undefined).path, path);
  assert.notEqual(makeAssets({ ...world, script: "/elsewhere" }, undefined).path, path);
  assert.equal(makeAssets(world, join(folder, "mine")).path, join(folder, "mine"));
});

test("kubectl is a link to that of the machine, which comes and goes with it", () => {
  const mine = join(folder, "with kubectl");
  const path = `${mine}:/nowhere:${bin}`;
  assert.equal(makeAssets({ ...world, path }, mine).kubectl, undefined);
  const kubectl = program("kubectl", "#!/bin/sh\n");
  for (const _ of [1, 2]) assert.equal(makeAssets({ ...world, path }, mine).kubectl, kubectl);
  assert.equal(readlinkSync(join(mine, "kubectl")), kubectl);
  rmSync(kubectl);
  assert.equal(makeAssets({ ...world, path }, mine).kubectl, undefined);
  assert.deepEqual(readdirSync(mine).sort(), ["etcd", "kube-apiserver"]);
});
