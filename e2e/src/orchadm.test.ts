import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http/http.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { buildGoProgram } from "./clients/go-program.js";
import { execute } from "./clients/program.js";
import { type SteadyLoad, startSteadyLoad } from "./harness/consistency/steady-load.js";
import { kubectlMissing } from "./harness/kubectl.js";
import { type Machines, type PlayedMachine, playMachines } from "./harness/machines.js";
import { type Balancer, startBalancer } from "./harness/servers/balancer.js";
import { untilSo } from "./harness/until.js";

const skip = etcdMissing() ?? (await kubectlMissing()) ?? false;

/** A dozen machines' work on one, which others may use as well. */
const wholeMs = 900_000;

/** A cluster as people set it up, machine after machine; each test goes on from where the one before it ended. */
describe("a cluster of machines, set up and taken down", { skip, timeout: wholeMs }, () => {
  let machines: Machines;
  let balancer: Balancer;
  let [one, two, three, worker]: PlayedMachine[] = [];
  /** Words of the command that init shows. */
  let joinWords: readonly string[] = [];
  let certificateKey = "";

  const there = (machine: PlayedMachine | undefined): PlayedMachine => {
    assert.ok(machine);
    return machine;
  };

  before(async () => {
    machines = await playMachines();
    [one, two, three, worker] = ["one", "two", "three", "worker"].map((name) => machines.machine(name));
    balancer = await startBalancer([one, two, three].map((machine) => `${there(machine).address}:6443`));
  });
  after(async () => {
    await machines.stop();
    await balancer.stop();
  });

  const ready = async (machine: PlayedMachine, names: readonly string[]): Promise<void> => {
    await untilSo(`${names} are ready as ${machine.name} sees them`, async () => {
      const { output } = await machine.kubectl("get", "nodes", "--no-headers");
      return names.every((name) => new RegExp(`^${name} +Ready `, "m").test(output));
    });
  };

  test("init makes the first machine", async (t) => {
    const first = there(one);
    const config = await machines.file(
      "init.yaml",
      `apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration: {name: one}
localAPIEndpoint: {advertiseAddress: ${first.address}, bindPort: 6443}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.31.4
controlPlaneEndpoint: ${balancer.address}
networking: {podSubnet: 10.244.0.0/16}
apiServer:
  extraArgs: [{name: shutdown-delay-duration, value: 1s}]
---
apiVersion: somebody.example.com/v1
kind: Other
`,
    );
    const begun = performance.now();
    const { code, out, err } = await first.adm("init", `--config=${config}`, "--upload-certs", "--runner=process");
    assert.equal(code, 0, err);
    await ready(first, ["one"]);
    t.diagnostic(`from init to a ready node: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    assert.match(
      err,
      /WARNING: Ignored configuration document with GroupVersionKind somebody.example.com\/v1, Kind=Other/,
    );
    assert.match(out, /Your control plane has initialized successfully!/);
    const [, words = ""] = /any number of worker machines[^\n]*\n\n(orchadm join [\s\S]*?)\n$/.exec(out) ?? [];
    joinWords = words
      .replaceAll("\\\n", " ")
      .split(/\s+/)
      .slice(2)
      .filter((word) => word !== "" && !word.includes("kubernetes") && word !== "--api-dialect");
    [, certificateKey = ""] = /--certificate-key ([0-9a-f]{64})/.exec(out) ?? [];
    assert.ok(joinWords.length > 4 && certificateKey !== "", out);
  });

  test("a second init stops at what is there", async () => {
    const { code, err } = await there(one).adm("init", `--config=${machines.folder}/init.yaml`, "--runner=process");
    assert.equal(code, 1);
    assert.match(err, /\[preflight\] Some fatal errors occurred:\n/);
    assert.match(err, /\t\[ERROR Port-6443\]: Port 6443 is in use\n/);
    assert.match(err, /\[ERROR FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml\]/);
  });

  const refusals: readonly (readonly [
    what: string,
    change: (words: readonly string[]) => readonly string[],
    why: RegExp,
  ])[] = [
    [
      "another authority's hash",
      (words) => words.map((word) => word.replace(/^sha256:.*/, `sha256:${"0".repeat(64)}`)),
      /none of the public keys .* are pinned/,
    ],
    [
      "a wrong secret",
      (words) => words.map((word) => word.replace(/^([a-z0-9]{6})\.[a-z0-9]{16}$/, `$1.${"0".repeat(16)}`)),
      /failed to verify JWS signature/,
    ],
  ];
  for (const [what, change, why] of refusals) {
    test(`a machine that joins with ${what} is refused and changes nothing`, async () => {
      const machine = there(worker);
      const { code, err } = await machine.adm(
        "join",
        ...change(joinWords),
        "--runner=process",
        `--apiserver-advertise-address=${machine.address}`,
      );
      assert.equal(code, 1);
      assert.match(err, why);
      assert.deepEqual(machine.files(), []);
    });
  }

  test("the reference's own module takes the cluster's information for signed by the token's owner", async (t) => {
    const program = `${machines.folder}/clusterinfo`;
    const missing = await buildGoProgram({ module: "go", package: "./clusterinfo", to: program });
    if (missing !== undefined) return t.skip(`SKIPPED: ${missing}`);
    const { output } = await there(one).kubectl("get", "configmap", "cluster-info", "-n", "kube-public", "-o", "json");
    const info = await machines.file("cluster-info.json", output);
    const token = joinWords[joinWords.indexOf("--token") + 1] ?? "";
    const [id = "", secret = ""] = token.split(".");
    const judged = async (said: string): Promise<string> => (await execute([program, info, id, said])).output.trim();
    assert.equal(await judged(secret), `valid https://${balancer.address} true`);
    assert.equal(await judged("0".repeat(16)), "invalid");
  });

  test("two more machines join its control plane, and etcd has three members that vote", async () => {
    for (const machine of [there(two), there(three)]) {
      const { code, err } = await machine.adm(
        ...["join", ...joinWords, "--control-plane", "--certificate-key", certificateKey, "--runner=process"],
        ...[`--node-name=${machine.name}`, `--apiserver-advertise-address=${machine.address}`],
      );
      assert.equal(code, 0, err);
    }
    const { code, out } = await there(one).adm("certs", "check-expiration");
    assert.equal(code, 0);
    assert.doesNotMatch(out, /!MISSING!/);
    for (const machine of [one, two, three]) {
      const seen = there(machine);
      await ready(seen, ["one", "two", "three"]);
      const { output } = await seen.kubectl(
        "get",
        "nodes",
        "-l",
        "node-role.kubernetes.io/control-plane",
        "-o",
        "name",
      );
      assert.equal(output.trim().split("\n").length, 3);
    }
  });

  test("a node joins by a token and runs what is given to it", async () => {
    const machine = there(worker);
    const { code, err } = await machine.adm(
      ...[
        "join",
        ...joinWords,
        "--runner=process",
        "--node-name=worker",
        `--apiserver-advertise-address=${machine.address}`,
      ],
    );
    assert.equal(code, 0, err);
    assert.ok(!existsSync(`${machine.root}/etc/kubernetes/bootstrap-kubelet.conf`));
    await ready(there(two), ["worker"]);
    const made = await there(three).kubectl("create", "deployment", "web", "--image=nginx", "--replicas=3");
    assert.equal(made.code, 0, made.errors);
    await untilSo("three pods run on the node", async () => {
      const { output } = await there(one).kubectl("get", "pods", "-o", "wide", "--no-headers");
      return output.split("\n").filter((line) => /1\/1 +Running .* worker /.test(line)).length === 3;
    });
    const again = await machine.adm(
      "join",
      ...joinWords,
      "--node-name=two",
      "--ignore-preflight-errors=all",
      `--apiserver-advertise-address=${machine.address}`,
    );
    assert.equal(again.code, 1);
    assert.match(again.err, /a Node with name "two" and status "Ready" already exists in the cluster/);
  });

  test("a process that is killed is there again", async () => {
    const machine = there(two);
    const before = machine.units().get("kube-scheduler");
    assert.ok(before !== undefined);
    process.kill(before, "SIGKILL");
    await untilSo("it runs again", async () => {
      const now = machine.units().get("kube-scheduler");
      return now !== undefined && now !== before;
    });
  });

  async function underLoad(namespace: string, run: (load: SteadyLoad) => Promise<void>): Promise<SteadyLoad> {
    const made = await there(one).kubectl("create", "namespace", namespace);
    assert.equal(made.code, 0, made.errors);
    const config = await readClientConfig(there(one).admin);
    const load = startSteadyLoad({
      collection: { group: "", version: "v1", resource: "configmaps", namespace },
      clients: 3,
      roundsOfClient: () => 5,
      newClient: () => createClient(config),
    });
    try {
      await untilSo("clients write", async () => load.done > 20);
      await run(load);
    } finally {
      await load.stop();
    }
    return load;
  }

  test("all certificates are renewed without a failed request", async () => {
    const { failures } = await underLoad("renewal", async (load) => {
      for (const machine of [one, two, three]) {
        const { code, out, err } = await there(machine).adm("certs", "renew", "all");
        assert.equal(code, 0, err);
        assert.match(out, /certificate apiserver renewed/);
      }
      const { done } = load;
      await untilSo("clients write on", async () => load.done > done + 50);
    });
    assert.deepEqual(failures, []);
  });

  test("an upgrade goes from machine to machine without a failed request", async () => {
    const plan = await there(one).adm("upgrade", "plan");
    assert.equal(plan.code, 0, plan.err);
    assert.match(plan.out, /^kube-apiserver +three +v1\.31\.4 +v1\.32\.0$/m);
    const { failures } = await underLoad("upgrade", async (load) => {
      const first = await there(one).adm("upgrade", "apply", "v1.32.0", "--yes", "--runner=process");
      assert.equal(first.code, 0, first.err);
      assert.match(first.out, /\[upgrade\] SUCCESS! A control plane node of your cluster was upgraded to "v1\.32\.0"/);
      for (const machine of [two, three, worker]) {
        const { code, err } = await there(machine).adm("upgrade", "node", "--runner=process");
        assert.equal(code, 0, err);
      }
      const { done } = load;
      await untilSo("clients write on", async () => load.done > done + 50);
    });
    assert.deepEqual(failures, []);
    for (const machine of [one, two, three]) {
      const manifest = readFileSync(`${there(machine).root}/etc/kubernetes/manifests/kube-apiserver.yaml`, "utf8");
      assert.match(manifest, /image: .*kube-apiserver:v1\.32\.0$/m);
    }
    const again = await there(two).adm("upgrade", "plan");
    assert.match(again.out, /Awesome, you're up-to-date! Enjoy!/);
  });

  test("the cluster serves while a machine is away, and takes it back", async () => {
    const machine = there(three);
    await machine.cut();
    await untilSo("the balancer knows", async () => !balancer.ready.has(`${machine.address}:6443`));
    const { failures } = await underLoad("outage", async (load) => {
      const { done } = load;
      await untilSo("clients write on", async () => load.done > done + 50);
    });
    assert.deepEqual(failures, []);
    await machine.boot();
    await untilSo("it serves again", async () => balancer.ready.has(`${machine.address}:6443`), 120_000);
    await ready(machine, ["one", "two", "three"]);
  });

  test("reset leaves nothing behind", async () => {
    for (const machine of [worker, three, two, one]) {
      const left = there(machine);
      const pids = [...left.units().values()];
      const { code, out, err } = await left.adm("reset", "--force", "--cleanup-tmp-dir", "--runner=process");
      assert.equal(code, 0, err);
      assert.doesNotMatch(out, /Failed to remove etcd member/);
      assert.deepEqual(left.files(), []);
      for (const pid of pids) assert.ok(!existsSync(`/proc/${pid}`), `process ${pid} of ${left.name} runs on`);
      if (left === two) await ready(there(one), ["one"]);
    }
  });
});
