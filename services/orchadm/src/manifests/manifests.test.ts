import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { unitOfManifest } from "../runner/manifest.js";
import { type FileMachine, initFile, openFileMachine } from "../testing/commands.js";

describe("manifests of the control plane", () => {
  let machine: FileMachine;
  before(() => {
    machine = openFileMachine();
  });
  after(() => machine.close());

  async function unit(
    component: "apiserver" | "controller-manager" | "scheduler",
    more = "",
    ...flags: readonly string[]
  ) {
    const config = `--config=${machine.write("init.yaml", initFile(more))}`;
    const { code, errors } = await machine.run("init", "phase", "control-plane", component, config, ...flags);
    assert.equal(code, 0, errors);
    return unitOfManifest(machine.read(`etc/orch/manifests/orch-${component}.yaml`));
  }
  const values = (args: readonly string[], name: string): readonly string[] =>
    args.flatMap((each) => (each.startsWith(`--${name}=`) ? [each.slice(name.length + 3)] : []));

  test("the server is told all that it needs, with paths as its process has them", async () => {
    const { command, args, readiness } = await unit("apiserver");
    assert.deepEqual([command, ...args.slice(0, 2)], ["/usr/bin/node", "/opt/orch/main.js", "serve"]);
    const rows: readonly (readonly [flag: string, value: string])[] = [
      ["advertise-address", "10.0.0.5"],
      ["authorization-mode", "Node,RBAC"],
      ["client-ca-file", `${machine.root}/etc/orch/pki/ca.crt`],
      ["enable-admission-plugins", "NodeRestriction"],
      ["enable-bootstrap-token-auth", "true"],
      ["etcd-servers", "https://127.0.0.1:2379"],
      ["secure-port", "6443"],
      ["service-account-issuer", "https://orch.default.svc.cluster.local"],
      ["service-cluster-ip-range", "10.96.0.0/12"],
    ];
    for (const [flag, value] of rows) assert.deepEqual(values(args, flag), [value], flag);
    assert.equal(readiness?.url, "https://10.0.0.5:6443/livez");
  });

  test("arguments of a file take the place of ours, and come behind them", async () => {
    const more =
      "apiServer:\n  extraArgs: [{name: secure-port, value: '7443'}, {name: request-timeout, value: 30s}, {name: tls-sni-cert-key, value: a}, {name: tls-sni-cert-key, value: b}]";
    const { args } = await unit("apiserver", more);
    assert.deepEqual(values(args, "secure-port"), ["7443"]);
    assert.deepEqual(values(args, "request-timeout"), ["30s"]);
    assert.deepEqual(values(args, "tls-sni-cert-key"), ["a", "b"]);
  });

  const modes: readonly (readonly [given: string, used: string])[] = [
    ["AlwaysAllow", "Node,RBAC,AlwaysAllow"],
    ["Webhook,RBAC", "Node,RBAC,Webhook"],
    ["RBAC", "Node,RBAC"],
  ];
  for (const [given, used] of modes) {
    test(`nobody takes Node and RBAC away: ${given}`, async () => {
      const { args } = await unit(
        "apiserver",
        `apiServer:\n  extraArgs: [{name: authorization-mode, value: "${given}"}]`,
      );
      assert.deepEqual(values(args, "authorization-mode"), [used]);
    });
  }

  test("the network of pods reaches the controller manager", async () => {
    const without = await unit("controller-manager");
    assert.deepEqual(values(without.args, "allocate-node-cidrs"), []);
    const { args } = await unit("controller-manager", "networking: {podSubnet: 10.244.0.0/16}");
    assert.deepEqual(values(args, "allocate-node-cidrs"), ["true"]);
    assert.deepEqual(values(args, "cluster-cidr"), ["10.244.0.0/16"]);
    assert.deepEqual(values(args, "service-cluster-ip-range"), ["10.96.0.0/12"]);
  });

  test("an authority that others keep signs nothing here", async () => {
    assert.deepEqual(values((await unit("controller-manager")).args, "cluster-signing-key-file"), []);
    machine.write("etc/orch/pki/ca.key", "x");
    const { args } = await unit("controller-manager");
    assert.deepEqual(values(args, "cluster-signing-key-file"), [`${machine.root}/etc/orch/pki/ca.key`]);
  });

  test("etcd of somebody else", async () => {
    const more =
      "etcd:\n  external: {endpoints: ['https://e:2379'], caFile: /e/ca.crt, certFile: /e/c.crt, keyFile: /e/c.key}";
    const { args } = await unit("apiserver", more);
    assert.deepEqual(values(args, "etcd-servers"), ["https://e:2379"]);
    assert.deepEqual(values(args, "etcd-cafile"), [`${machine.root}/e/ca.crt`]);
  });

  test("patches of a folder: strategic, merge and JSON, in the order of their names", async () => {
    const folder = `${machine.root}/patches`;
    machine.write(
      "patches/orch-scheduler0.yaml",
      'metadata: {labels: {first: "1", both: a}}\nspec: {containers: [{name: orch-scheduler, env: [{name: E, value: x}]}]}',
    );
    machine.write("patches/orch-scheduler1+merge.yaml", "metadata: {labels: {both: b}}");
    machine.write(
      "patches/orch-scheduler2+json.json",
      '[{"op": "add", "path": "/spec/containers/0/command/-", "value": "--v=5"}]',
    );
    machine.write("patches/readme.txt", "no patch");
    const config = `--config=${machine.write("init.yaml", `${initFile()}`.replace("kind: InitConfiguration", `kind: InitConfiguration\npatches: {directory: ${folder}}`))}`;
    const { errors, code } = await machine.run("init", "phase", "control-plane", "scheduler", config);
    assert.equal(code, 0, errors);
    assert.match(errors, /\[patches\] Ignoring the file "readme.txt"/);
    const text = machine.read("etc/orch/manifests/orch-scheduler.yaml");
    const { args, env } = unitOfManifest(text);
    assert.equal(args.at(-1), "--v=5");
    assert.deepEqual(env, { E: "x" });
    assert.match(text, /both: b/);
    assert.match(text, /component: orch-scheduler/);
  });
});
