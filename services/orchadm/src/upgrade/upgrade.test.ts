import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createMachine } from "../machine/machine.js";
import { pathsOf } from "../machine/paths.js";
import { openTestMachine, type TestMachine } from "../testing/object-server.js";
import { ownMember } from "./own-member.js";

const configuration = (version: string): string => `apiVersion: orchadm.orch/v1beta3
kind: ClusterConfiguration
orchVersion: ${version}
etcd: {external: {endpoints: ["http://127.0.0.1:1"]}}
`;

const apiserver = `apiVersion: v1
kind: Pod
metadata:
  name: orch-apiserver
  annotations: {orchadm.orch/orch-apiserver.advertise-address.endpoint: "127.0.0.9:7443"}
spec: {containers: [{name: a, image: "x:1", command: [orch, serve]}]}
`;
const agent = `apiVersion: v1
kind: Pod
metadata: {name: orch-agent}
spec:
  containers:
  - {name: a, image: "x:1", command: [old, program, node-simulator, --node-name=one, --agent-address=127.0.0.9, --v=4]}
`;

describe("upgrade", () => {
  let machine: TestMachine;
  before(async () => {
    machine = await openTestMachine();
    machine.file("etc/orch/manifests/orch-apiserver.yaml", apiserver);
    machine.file("etc/orch/manifests/orch-agent.yaml", agent);
    put("configmaps", "orchadm-config", { data: { ClusterConfiguration: configuration("v1.31.4") } });
    const text = "apiVersion: agent.config.orch/v1beta1\nkind: AgentConfiguration\nmaxPods: 7\n";
    put("configmaps", "agent-config", { data: { agent: text } });
    for (const [name, labels] of [
      ["one", { "node-role.orch/control-plane": "" }],
      ["two", {}],
    ] as const) {
      machine.objects.set(`/api/v1/nodes/${name}`, {
        metadata: { name, labels },
        status: { nodeInfo: { kubeletVersion: "v1.31.4" }, conditions: [{ type: "Ready", status: "True" }] },
      });
    }
  });
  after(() => machine.close());

  const put = (resource: string, name: string, rest: object): void =>
    void machine.objects.set(`/api/v1/namespaces/orch-system/${resource}/${name}`, { metadata: { name }, ...rest });
  // Nothing runs here whose health could be asked.
  const unseen = "--ignore-preflight-errors=ControlPlaneComponents";

  test("a machine's part is read off what lies on it", () => {
    const naming = createNaming("orch");
    const own = createMachine(machine.root);
    assert.deepEqual(ownMember(own, pathsOf(naming)), { name: "one", advertiseAddress: "127.0.0.9", bindPort: 7443 });
    assert.throws(() => ownMember(createMachine("/nowhere"), pathsOf(naming)), /this machine is no node of a cluster/);
  });

  test("plan shows what would change, and what is to be done by hand", async () => {
    const { code, output, errors } = await machine.run("upgrade", "plan", unseen);
    assert.equal(code, 0, errors);
    assert.match(errors, /\[WARNING ControlPlaneComponents\]: orch-apiserver is not healthy/);
    const lines = output.split("\n");
    for (const row of [
      /^agent +one +v1\.31\.4 +v1\.32\.0$/,
      /^agent +two +v1\.31\.4 +v1\.32\.0$/,
      /^orch-apiserver +one +v1\.31\.4 +v1\.32\.0$/,
      /^orch-proxy +v1\.31\.4 +v1\.32\.0$/,
      /^\torchadm upgrade apply v1\.32\.0$/,
      /^agent\.config\.orch +v1beta1 +v1beta1 +no$/,
    ]) {
      assert.equal(lines.filter((line) => row.test(line)).length, 1, `${row}\n${output}`);
    }
    const json = JSON.parse((await machine.run("upgrade", "plan", unseen, "-o", "json")).output);
    const [upgrade, ...others] = json.availableUpgrades;
    assert.deepEqual([json.kind, upgrade.components.length, others], ["UpgradePlan", 6, []]);
    assert.equal(upgrade.description, "version of this program");
  });

  test("health counts: a component that does not answer stops it", async () => {
    const { code, errors } = await machine.run("upgrade", "plan");
    assert.equal(code, 1);
    assert.match(errors, /\[ERROR ControlPlaneComponents\]: orch-apiserver is not healthy/);
  });

  test("diff shows how manifests would change, and changes nothing", async () => {
    const { code, output, errors } = await machine.run("upgrade", "diff", "1.32.0", "--context-lines=0");
    assert.equal(code, 0, errors);
    assert.match(output, /^--- .*\/etc\/orch\/manifests\/orch-apiserver\.yaml\n\+\+\+ new manifest\n@@ /);
    assert.match(output, /^\+ {4}image: registry\.orch\/orch-apiserver:v1\.32\.0$/m);
    assert.equal(readFileSync(`${machine.root}/etc/orch/manifests/orch-apiserver.yaml`, "utf8"), apiserver);
  });

  for (const [argv, says] of [
    [["v1.33.0"], /at least one minor release higher/],
    [["nonsense"], /is not of the form v1\.2\.3/],
    [[], /missing one or more required arguments\. Required arguments: \[version\]/],
    [["v1.32.0", "v1.32.1"], /accepts at most 1 arg, received 2/],
  ] as const) {
    test(`apply ${argv.join(" ")} is refused`, async () => {
      const { code, errors } = await machine.run("upgrade", "apply", ...argv, "--yes", unseen);
      assert.equal(code, 1);
      assert.match(errors, says);
    });
  }

  test("apply asks, and nobody's answer is no", async () => {
    const { code, errors } = await machine.run("upgrade", "apply", "v1.32.0", unseen);
    assert.equal(code, 1);
    assert.match(errors, /aborted upgrade operation\n$/);
  });

  test("--dry-run tells every file and object and leaves all as it is", async () => {
    const stored = [...machine.objects];
    const { code, output, errors } = await machine.run("upgrade", "apply", "v1.32.0", "--dry-run", unseen);
    assert.equal(code, 0, errors);
    assert.match(output, /\[dryrun\] Would write file ".*\/etc\/orch\/manifests\/orch-apiserver\.yaml"/);
    assert.match(output, /\[dryrun\] Would create or update the object:\n[\s\S]*orchVersion: v1\.32\.0/);
    assert.match(output, /Finished dryrunning successfully/);
    assert.deepEqual([...machine.objects], stored);
    assert.equal(readFileSync(`${machine.root}/etc/orch/manifests/orch-apiserver.yaml`, "utf8"), apiserver);
  });

  test("node gives the agent the cluster's configuration and this program, and keeps its flags", async () => {
    const { code, errors } = await machine.run(
      ...["upgrade", "node", "--runner=none", "--skip-phases=preflight,control-plane,kubelet-config"],
    );
    assert.equal(code, 0, errors);
    const phase = await machine.run("upgrade", "node", "phase", "kubelet-config", "--dry-run");
    assert.equal(phase.code, 0, phase.errors);
    assert.match(phase.output, /maxPods: 7/);
    assert.match(phase.output, /- orch\n\t {4}- node-simulator\n\t {4}- --node-name=one\n[\s\S]*- --v=4\n/);
    assert.match(phase.output, /image: registry\.orch\/orch-agent:v1\.32\.0/);
  });

  test("a phase that is none is refused", async () => {
    const { code, errors } = await machine.run("upgrade", "node", "--skip-phases=cooking");
    assert.deepEqual([code, errors], [1, "invalid phase name: cooking\n"]);
  });
});
