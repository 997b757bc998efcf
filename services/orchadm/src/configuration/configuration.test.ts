import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type FileMachine, initFile, openFileMachine } from "../testing/commands.js";

describe("configuration files and flags", () => {
  let machine: FileMachine;
  before(() => {
    machine = openFileMachine();
  });
  after(() => machine.close());

  const group = "apiVersion: orchadm.orch/v1beta3\nkind:";
  const token =
    "discovery: {bootstrapToken: {token: abcdef.0123456789abcdef, apiServerEndpoint: '10.0.0.1:6443', caCertHashes: ['sha256:x']}}";
  const refused: readonly (readonly [
    what: string,
    command: string,
    file: string,
    flags: readonly string[],
    why: RegExp,
  ])[] = [
    [
      "flags beside it that say the same",
      "init",
      initFile(),
      ["--token=abcdef.0123456789abcdef", "--pod-network-cidr=10.244.0.0/16"],
      /can not mix '--config' with arguments \[pod-network-cidr token\]/,
    ],
    [
      "no kind of init",
      "init",
      `${group} JoinConfiguration\n${token}`,
      [],
      /no InitConfiguration or ClusterConfiguration kind was found in the YAML file/,
    ],
    ["no kind of join", "join", initFile(), [], /no JoinConfiguration found in config file ".*"/],
    [
      "a kind twice",
      "init",
      `${group} InitConfiguration\n---\n${group} InitConfiguration\n`,
      [],
      /kind InitConfiguration duplicated/,
    ],
    [
      "a version of old",
      "init",
      "apiVersion: orchadm.orch/v1beta1\nkind: ClusterConfiguration\n",
      [],
      /uses an old API spec: "orchadm.orch\/v1beta1"/,
    ],
    [
      "a network that is too small",
      "init",
      `${group} ClusterConfiguration\nnetworking: {serviceSubnet: 10.0.0.0/30}`,
      [],
      /the minimum is 10/,
    ],
    [
      "an endpoint that is none",
      "init",
      `${group} ClusterConfiguration\ncontrolPlaneEndpoint: "a b"`,
      [],
      /endpoint is not valid/,
    ],
  ];
  for (const [what, command, file, flags, why] of refused) {
    test(`a file is refused: ${what}`, async () => {
      const config = `--config=${machine.write("config.yaml", file)}`;
      const { code, errors } = await machine.run(command, config, ...flags);
      assert.equal(code, 1);
      assert.match(errors, why);
    });
  }

  const lines: readonly (readonly [what: string, argv: readonly string[], code: number, why: RegExp])[] = [
    ["no way to learn of the cluster", ["join", "10.0.0.1:6443"], 1, /the bootstrap token is invalid/],
    [
      "no hash",
      ["join", "10.0.0.1:6443", "--token=abcdef.0123456789abcdef"],
      1,
      /using token-based discovery without caCertHashes can be unsafe/,
    ],
    ["two endpoints", ["join", "a:1", "b:2"], 1, /join takes one endpoint, not 2/],
    ["a phase that is none", ["init", "phase", "certz"], 2, /unknown command: "certz" \(did you mean certs\?\)/],
    [
      "all checks ignored, and one beside",
      ["init", "--ignore-preflight-errors=all,Port-6443"],
      1,
      /^ignore-preflight-errors: Invalid value: "all,port-6443": don't specify individual checks if 'all' is used/,
    ],
    [
      "a release that is too old",
      ["init", "--kubernetes-version=v1.20.3", "--dry-run"],
      1,
      /^this version of orchadm only supports deploying clusters with the control plane version >= 1\.\d+\.0\. Current version: v1\.20\.3/,
    ],
    [
      "a release that is none",
      ["init", "--kubernetes-version=newest", "--dry-run"],
      1,
      /^orchVersion: Invalid value: "newest": version "newest" doesn't match patterns/,
    ],
    [
      "a folder of patches that is not there",
      ["init", "--patches=/nowhere", "--dry-run"],
      1,
      /^the patches of "\/nowhere" cannot be read: ENOENT/,
    ],
    [
      "a time that is none",
      ["init", "--token-ttl=soon", "--dry-run"],
      2,
      /invalid argument "soon" for "--token-ttl" flag/,
    ],
    ["a time before now", ["init", "--token-ttl=-5m", "--dry-run"], 2, /"--token-ttl" flag: must not be negative/],
    ["a flag that is none", ["init", "--nix"], 2, /unknown flag: --nix/],
    [
      "a flag before the command",
      ["--v=1", "init"],
      2,
      /^orchadm: unknown flag: --v=1: flags stand behind the command's words\n$/,
    ],
    ["a word too many", ["reset", "all"], 2, /unknown command: "all"/],
    ["a user without a name", ["kubeconfig", "user"], 1, /required flag\(s\) "client-name" not set/],
    ["a reset that nobody confirms", ["reset"], 1, /aborted reset operation/],
  ];
  for (const [what, argv, code, why] of lines) {
    test(`a line is refused: ${what}`, async () => {
      const ran = await machine.run(...argv);
      assert.equal(ran.code, code, ran.errors);
      assert.match(ran.errors, why);
    });
  }

  test("flags and the file that says the same give the same manifest", async () => {
    const phase = ["init", "phase", "control-plane", "controller-manager"];
    const path = "etc/orch/manifests/orch-controller-manager.yaml";
    const flags = ["--pod-network-cidr=10.244.0.0/16", "--apiserver-advertise-address=10.0.0.5", "--node-name=one"];
    assert.equal((await machine.run(...phase, ...flags)).code, 0);
    const byFlags = machine.read(path);
    const file = initFile("networking: {podSubnet: 10.244.0.0/16}");
    assert.equal((await machine.run(...phase, `--config=${machine.write("config.yaml", file)}`)).code, 0);
    assert.equal(machine.read(path), byFlags);
  });

  test("an unknown field is warned of, and others' documents are", async () => {
    const file = `${initFile("nonsense: 1")}---\napiVersion: x.example.com/v1\nkind: Other\n`;
    const { code, errors } = await machine.run(
      "init",
      "phase",
      "control-plane",
      "scheduler",
      `--config=${machine.write("config.yaml", file)}`,
    );
    assert.equal(code, 0, errors);
    assert.match(errors, /unknown field "nonsense"/);
    assert.match(errors, /Ignored configuration document with GroupVersionKind x.example.com\/v1, Kind=Other/);
  });

  test("every command has a help of its own, with its flags and what follows it", async () => {
    const { code, output } = await machine.run("init", "--help");
    assert.equal(code, 0);
    for (const text of ["--pod-network-cidr", "--skip-phases", "--dry-run", "Commands:\n  phase"])
      assert.ok(output.includes(text), text);
    assert.match(
      (await machine.run("init", "phase", "certs", "ca", "--help")).output,
      /^Usage: orchadm init phase certs ca \[flags\]\n/,
    );
    assert.match(
      (await machine.run("join", "--help")).output,
      /^Usage: orchadm join \[api-server-endpoint\] \[flags\]\n/,
    );
  });
});
