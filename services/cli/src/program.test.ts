import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { commands, groups } from "./commands.js";
import { candidates } from "./completion/candidates.js";
import { scripts } from "./completion/scripts.js";

const main = fileURLToPath(new URL("./main.js", import.meta.url));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function ended(program: string, args: readonly string[], cwd?: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd }, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
  });
}

const orch = (...args: string[]): Promise<Ended> => ended(process.execPath, [main, ...args]);

test("the usage names every command, and a word that is none is answered with the nearest", async () => {
  const usage = await orch();
  assert.equal(usage.code, 0);
  for (const { word } of commands) assert.match(usage.out, new RegExp(`^  ${word} {2,}\\S`, "m"));
  assert.deepEqual(await orch("--help"), usage);
  const wrong = await orch("gatewy");
  assert.deepEqual([wrong.code, wrong.out], [2, ""]);
  assert.equal(wrong.err, 'orch: unknown command: "gatewy" (did you mean gateway?)\n');
  assert.ok((await orch("x".repeat(100_000))).err.length < 300);
});

test("each command has a help of its own", { concurrency: 2 }, async () => {
  for (const { word } of commands) {
    const { code, out } = await orch(word, ...(word === "version" ? [] : ["--help"]));
    assert.equal(code, 0, word);
    assert.notEqual(out, "", word);
  }
});

test("what a service prints as its configuration it takes back, and another service refuses it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-cli-"));
  try {
    const services = groups.find(({ title }) => title === "Services")?.commands ?? [];
    assert.ok(services.length >= 6);
    const files: string[] = [];
    for (const { word } of services) {
      const { code, out } = await orch(word, "--print-config", "--log-level=warn");
      assert.equal(code, 0, word);
      assert.match(out, /^apiVersion: flags\.config\.orch\/v1\nkind: [A-Za-z]+Flags\nflags:\n/);
      assert.match(out, /^ {2}log-level: warn$/m);
      const file = join(folder, `${word}.yaml`);
      await writeFile(file, out);
      files.push(file);
      assert.equal((await orch(word, `--config=${file}`, "--print-config")).out, out, word);
      const other = await orch(word, `--config=${files[0]}`, "--print-config");
      if (files.length > 1) assert.match(other.err, /kind: must be /);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the controller manager's file holds its configuration and values of flags, and the command line wins", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-cli-"));
  try {
    const file = join(folder, "manager.yaml");
    const written = (syncs: number): string => `apiVersion: kubecontrollermanager.config.k8s.io/v1alpha1
kind: KubeControllerManagerConfiguration
GarbageCollectorController: {ConcurrentGCSyncs: ${syncs}}
DeploymentController: {ConcurrentDeploymentSyncs: 9}
---
apiVersion: flags.config.orch/v1
kind: ControllerManagerFlags
flags: {api-dialect: kubernetes, concurrent-namespace-syncs: 4}
`;
    await writeFile(file, written(3));
    const printed = await orch("controller-manager", `--config=${file}`, "--concurrent-gc-syncs=8", "--print-config");
    assert.equal(printed.code, 0, printed.err);
    const [flags = "", configuration = ""] = printed.out.split("---\n");
    assert.match(flags, /^ {2}api-dialect: kubernetes$/m);
    assert.match(configuration, /^kind: KubeControllerManagerConfiguration$/m);
    for (const line of ["ConcurrentGCSyncs: 8", "ConcurrentNamespaceSyncs: 4", "ConcurrentDeploymentSyncs: 9"]) {
      assert.match(configuration, new RegExp(`^ {2}${line}$`, "m"));
    }
    await writeFile(file, printed.out);
    assert.equal((await orch("controller-manager", `--config=${file}`, "--print-config")).out, printed.out);
    await writeFile(file, written(-3));
    const refused = await orch("controller-manager", `--config=${file}`);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /manager\.yaml: GarbageCollectorController\.ConcurrentGCSyncs: Invalid value: -3: /);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe("completion", () => {
  const rows: readonly (readonly [readonly string[], readonly string[]])[] = [
    [["wat"], ["watch-cache"]],
    [
      ["completion", ""],
      ["bash", "fish", "zsh"],
    ],
    [["serve", "--embedded-", "--secure"], ["--secure-port"]],
    [["gateway", "--print-"], ["--print-config"]],
    [["restore", "--bump"], ["--bump-revision"]],
    [["version", "--j"], ["--json"]],
    [["nothing", ""], []],
    [["gateway", "x"], []],
  ];
  for (const [words, expected] of rows) {
    test(`orch ${words.join(" ")}…`, async () =>
      assert.deepEqual(await candidates(commands, words, { environment: {}, script: main, now: Date.now }), expected));
  }

  test("bash asks for the words that may follow", async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "orch-cli-"));
    try {
      await writeFile(join(folder, "orch"), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, { mode: 0o755 });
      const script = `PATH=${folder}:$PATH\n${scripts["bash"]}\nCOMP_WORDS=(orch gateway --tls-c); COMP_CWORD=2; _orch; echo "\${COMPREPLY[@]}"`;
      const { code, out, err } = await ended("bash", ["-c", script]);
      if (code !== 0 && err.includes("ENOENT")) return context.skip("no bash on this machine");
      assert.deepEqual([out, err], ["--tls-cert-file --tls-cipher-suites\n", ""]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
