import assert from "node:assert/strict";
import { chmodSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { openTestMachine, type TestMachine } from "../testing/object-server.js";
import { migrate } from "./migrate.js";

describe("config", () => {
  let machine: TestMachine;
  before(async () => {
    machine = await openTestMachine();
  });
  after(() => machine.close());

  for (const dialect of ["orch", "kubernetes"] as const satisfies readonly Dialect[]) {
    for (const of of ["init", "join", "reset", "upgrade"]) {
      test(`print ${of}-defaults is a file that validate calls right (${dialect})`, async () => {
        const flag = `--api-dialect=${dialect}`;
        const { output, code } = await machine.run("config", "print", `${of}-defaults`, flag);
        assert.equal(code, 0);
        const config = machine.file(`${of}.yaml`, output);
        assert.deepEqual(await machine.run("config", "validate", "--config", config, flag), {
          ...{ code: 0, output: "ok\n", errors: "" },
        });
      });
    }
  }

  test("print init-defaults shows examples where secrets and addresses would be, and components that are asked for", async () => {
    const components = "--component-configs=OrchProxyConfiguration,AgentConfiguration";
    const { output } = await machine.run("config", "print", "init-defaults", components);
    const kinds = [...output.matchAll(/^kind: (.*)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(kinds, [
      ...["InitConfiguration", "ClusterConfiguration", "OrchProxyConfiguration", "AgentConfiguration"],
    ]);
    for (const text of ["token: abcdef.0123456789abcdef", "advertiseAddress: 1.2.3.4", "name: node"]) {
      assert.ok(output.includes(text), text);
    }
    const bad = await machine.run("config", "print", "join-defaults", "--component-configs=Nothing");
    assert.match(bad.errors, /^--component-configs: "Nothing" is none of AgentConfiguration, OrchProxyConfiguration/);
  });

  const head = (kind: string, version = "v1beta3"): string => `apiVersion: orchadm.orch/${version}\nkind: ${kind}\n`;
  const verdicts: readonly (readonly [what: string, text: string, says: RegExp])[] = [
    ["an unknown field", `${head("ClusterConfiguration")}clusterNam: a\n`, /unknown field "clusterNam"/],
    ["a wrong value", `${head("ClusterConfiguration")}networking: {serviceSubnet: x}\n`, /couldn't parse subnet/],
    ["an old version", head("ClusterConfiguration", "v1beta2"), /Please use 'orchadm config migrate/],
    ["nothing that is known", "apiVersion: v1\nkind: Pod\n", /^no document of a kind that is known was found/m],
    ["an empty file", "", /Object 'Kind' is missing/],
    ["broken YAML", "a: [", /yaml/],
  ];
  for (const [what, text, says] of verdicts) {
    test(`validate refuses ${what}`, async () => {
      const config = machine.file("bad.yaml", text);
      const { code, output, errors } = await machine.run("config", "validate", "--config", config);
      assert.deepEqual([code, output], [1, ""]);
      assert.match(errors, says);
    });
  }

  test("validate warns of documents of others, and looks at those beside", async () => {
    const config = machine.file("both.yaml", `${head("ClusterConfiguration")}---\napiVersion: v1\nkind: Pod\n`);
    assert.deepEqual(await machine.run("config", "validate", "--config", config), {
      ...{ code: 0, output: "ok\n" },
      errors: "[config] WARNING: Ignored configuration document with GroupVersionKind v1, Kind=Pod\n",
    });
    assert.match((await machine.run("config", "validate")).errors, /^the --config flag is mandatory/);
    assert.match(
      (await machine.run("config", "validate", "--config=/nowhere")).errors,
      /^unable to read config from "\/nowhere"/,
    );
  });

  const orch = createNaming("orch");

  test("migrate takes out of a v1beta2 file what v1beta3 has no place for, and nothing else", () => {
    const before = `apiVersion: orchadm.orch/v1beta2
kind: ClusterConfiguration
# of the office
clusterName: office
useHyperKubeImage: true
dns:
  type: kube-dns
  imageTag: "1.0"
apiServer:
  extraArgs: {v: "4"}
---
apiVersion: orchadm.orch/v1beta2
kind: InitConfiguration
nodeRegistration:
  agentExtraArgs: {v: "2"}
---
apiVersion: orchproxy.config.orch/v1alpha1
kind: OrchProxyConfiguration
mode: "nftables" # as it was
`;
    const { text, warnings } = migrate(before, orch);
    assert.equal(
      text,
      `apiVersion: orchadm.orch/v1beta3
kind: ClusterConfiguration
clusterName: office
dns:
  imageTag: "1.0"
apiServer:
  extraArgs:
    v: "4"
---
apiVersion: orchadm.orch/v1beta3
kind: InitConfiguration
nodeRegistration:
  agentExtraArgs:
    v: "2"
---

apiVersion: orchproxy.config.orch/v1alpha1
kind: OrchProxyConfiguration
mode: "nftables" # as it was
`,
    );
    assert.deepEqual(warnings, [
      "ClusterConfiguration: useHyperKubeImage is gone: each component has an image of its own",
      "ClusterConfiguration: dns.type is gone: kube-dns becomes CoreDNS",
    ]);
  });

  test("migrate makes lists of flags and moves timeouts for v1beta4", () => {
    const naming = createNaming("kubernetes");
    const { text, warnings } = migrate(
      `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
apiServer: {extraArgs: {v: "4"}, timeoutForControlPlane: 9m0s}
etcd: {local: {extraArgs: {a: b}}}
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: JoinConfiguration
nodeRegistration: {kubeletExtraArgs: {v: "2"}}
discovery: {timeout: 1m0s, bootstrapToken: {token: abcdef.0123456789abcdef}}
`,
      naming,
    );
    assert.equal(
      text,
      `apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
apiServer:
  extraArgs:
  - name: v
    value: "4"
etcd:
  local:
    extraArgs:
    - name: a
      value: b
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
nodeRegistration:
  kubeletExtraArgs:
  - name: v
    value: "2"
discovery:
  bootstrapToken:
    token: abcdef.0123456789abcdef
timeouts:
  discovery: 1m0s
`,
    );
    assert.deepEqual(warnings, [
      'ClusterConfiguration: apiServer.timeoutForControlPlane is gone: say "9m0s" in timeouts.controlPlaneComponentHealthCheck of InitConfiguration or JoinConfiguration',
    ]);
  });

  test("what migrate writes is right, from version to version", async () => {
    const { output } = await machine.run("config", "print", "init-defaults");
    const old = machine.file(
      "old.yaml",
      output.replaceAll("v1beta3", "v1beta2").replace(/timeoutForControlPlane.*/, "timeoutForControlPlane: 4m0s"),
    );
    const paths = [`${machine.root}/third.yaml`, `${machine.root}/fourth.yaml`];
    const [third = "", fourth = ""] = paths;
    for (const [from, to] of [
      [old, third],
      [third, fourth],
    ] as const) {
      assert.deepEqual(await machine.run("config", "migrate", "--old-config", from, "--new-config", to), {
        ...{ code: 0, output: "", errors: "" },
      });
      assert.equal((await machine.run("config", "validate", "--config", to)).output, "ok\n");
    }
    assert.match(readFileSync(third, "utf8"), /^apiVersion: orchadm\.orch\/v1beta3$/m);
    assert.match(readFileSync(fourth, "utf8"), /^apiVersion: orchadm\.orch\/v1beta4$/m);
    // There is nothing behind the last one.
    const same = await machine.run("config", "migrate", "--old-config", fourth);
    assert.equal(same.output.replaceAll("\n\n", "\n"), readFileSync(fourth, "utf8"));
  });

  for (const [what, text, says] of [
    ["a version that is too old", head("ClusterConfiguration", "v1beta1"), /orchadm\.orch\/v1beta1 is no version/],
    ["a file of others", "apiVersion: v1\nkind: Pod\n", /no document of orchadm\.orch was found/],
    ["a key twice", `${head("ClusterConfiguration")}a: 1\na: 2\n`, /key "a" already set in map/],
  ] as const) {
    test(`migrate refuses ${what}`, () => assert.throws(() => migrate(text, orch), says));
  }

  test("images are those that the configuration names", async () => {
    const config = machine.file(
      "images.yaml",
      `${head("ClusterConfiguration")}imageRepository: example.com/a\norchVersion: v1.32.3\ndns: {imageTag: v1}\netcd: {external: {endpoints: ["http://x"]}}\n`,
    );
    const { output } = await machine.run("config", "images", "list", "--config", config);
    assert.deepEqual(output.split("\n"), [
      "example.com/a/orch-apiserver:v1.32.3",
      "example.com/a/orch-controller-manager:v1.32.3",
      "example.com/a/orch-scheduler:v1.32.3",
      "example.com/a/orch-proxy:v1.32.3",
      "example.com/a/coredns:v1",
      "",
    ]);
    const json = await machine.run("config", "images", "list", "-o", "json", "--image-repository=x.org");
    assert.equal(JSON.parse(json.output).images[0], "x.org/orch-apiserver:v1.32.0");
    const pull = await machine.run("config", "images", "pull");
    assert.deepEqual(
      [pull.code, pull.errors],
      [1, "there is no container runtime here: name its socket by --cri-socket\n"],
    );
  });

  test("a container runtime pulls each of them by its own program", async () => {
    const program = machine.file(
      "bin/crictl",
      '#!/bin/sh\necho "$@" >> "$0.asked"\ncase "$4" in *etcd*) exit 1;; esac\n',
    );
    chmodSync(program, 0o755);
    const path = process.env["PATH"];
    process.env["PATH"] = `${dirname(program)}:${path}`;
    try {
      const socket = "--cri-socket=unix:///run/x.sock";
      const { code, output, errors } = await machine.run(
        "config",
        "images",
        "pull",
        socket,
        "--image-repository=x.org",
      );
      assert.equal(output.split("\n")[0], "[config/images] Pulled x.org/orch-apiserver:v1.32.0");
      assert.deepEqual([code, errors], [1, 'failed to pull image "x.org/etcd:3.5": crictl ended with exit code 1\n']);
      const asked = readFileSync(`${program}.asked`, "utf8").split("\n");
      assert.equal(asked[0], "-r unix:///run/x.sock pull x.org/orch-apiserver:v1.32.0");
    } finally {
      process.env["PATH"] = path;
    }
  });
});
