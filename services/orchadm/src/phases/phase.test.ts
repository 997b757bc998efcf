import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { initFile, openFileMachine } from "../testing/commands.js";
import { type Phase, runPhases } from "./phase.js";

const told: string[] = [];
const tell = (name: string): Phase<undefined> => ({ name, description: name, run: () => void told.push(name) });
const phases = [tell("a"), { ...tell("b"), phases: [tell("one"), tell("two")] }, tell("c")];

const rows: readonly (readonly [skip: readonly string[], runs: readonly string[]])[] = [
  [[], ["a", "b", "one", "two", "c"]],
  [["b/one"], ["a", "b", "two", "c"]],
  [["b", "c"], ["a"]],
];
for (const [skip, runs] of rows) {
  test(`phases without [${skip}]`, async () => {
    told.length = 0;
    await runPhases(phases, undefined, skip);
    assert.deepEqual(told, runs);
  });
}
test("a phase that is none cannot be skipped", async () => {
  await assert.rejects(runPhases(phases, undefined, ["one"]), /invalid phase name: one/);
});

test("a dry run tells every file and writes none, and shows no key", async () => {
  const machine = openFileMachine();
  const config = machine.write("init.yaml", initFile().replace("10.0.0.5", "127.0.0.92"));
  const { code, output, errors } = await machine.run(
    "init",
    `--config=${config}`,
    "--dry-run",
    "--upload-certs",
    "--ignore-preflight-errors=all",
  );
  assert.equal(code, 0, errors);
  for (const file of [
    "pki/ca.crt",
    "pki/etcd/peer.key",
    "admin.conf",
    "manifests/etcd.yaml",
    "manifests/orch-agent.yaml",
  ]) {
    assert.ok(output.includes(`[dryrun] Would write file ${JSON.stringify(`${machine.root}/etc/orch/${file}`)}`), file);
  }
  for (const name of ["orchadm-config", "cluster-info", "orchadm-certs", "agent-config"])
    assert.match(output, new RegExp(`name: ${name}\n`));
  assert.doesNotMatch(output, /PRIVATE KEY|client-key-data: [A-Za-z0-9+/]{20}/);
  assert.deepEqual(readdirSync(machine.root), ["init.yaml"]);
  machine.close();
});

test("phases by themselves write what init writes", async () => {
  const machine = openFileMachine();
  const config = `--config=${machine.write("init.yaml", initFile().replace("10.0.0.5", "127.0.0.93"))}`;
  const phasesOfFiles = [
    "certs all",
    "kubeconfig all",
    "etcd local",
    "control-plane all",
    "kubelet-start --runner=none",
  ];
  for (const phase of phasesOfFiles)
    assert.equal((await machine.run("init", "phase", ...phase.split(" "), config)).code, 0, phase);
  const other = openFileMachine();
  const whole = await other.run(
    "init",
    `--config=${machine.root}/init.yaml`,
    "--runner=none",
    "--ignore-preflight-errors=all",
  );
  assert.equal(whole.code, 0, whole.errors);
  const files = (root: string) => readdirSync(`${root}/etc/orch`, { recursive: true }).sort();
  assert.deepEqual(files(machine.root), files(other.root));
  assert.ok(existsSync(`${machine.root}/etc/orch/manifests/etcd.yaml`));
  const texts = [machine, other].map(({ read, root }) =>
    read("etc/orch/manifests/orch-apiserver.yaml").replaceAll(root, ""),
  );
  assert.equal(texts[0], texts[1]);
  machine.close();
  other.close();
});
