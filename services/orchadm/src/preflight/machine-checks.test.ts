import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { kindsOf } from "../configuration/read-file.js";
import { createMachine } from "../machine/machine.js";
import { pathsOf } from "../machine/paths.js";
import { initFile, openFileMachine } from "../testing/commands.js";
import type { Tools } from "../world.js";
import { controlPlaneChecks, firstMachineChecks, joiningChecks, workerChecks } from "./machine-checks.js";
import type { Check } from "./preflight.js";

const naming = createNaming("orch");
const member = { name: "one", advertiseAddress: "10.0.0.5", bindPort: 6443 };

const toolsAt = (root: string): Tools => ({
  ...{ naming, clock: createManualClock(), environment: {}, machine: createMachine(root), version: "v1.32.0", pid: 1 },
  ...{ print: () => {}, printError: () => {}, trace: () => {}, ask: async () => "" },
  untilStopped: () => new AbortController().signal,
  program: { command: "node", args: [] },
});

const namesOf = (checks: readonly Check[]): readonly string[] => checks.map(({ name }) => name);
const kernel = (checks: readonly Check[]): readonly string[] =>
  namesOf(checks).filter((name) => name.startsWith("FileContent-"));

const four = "FileContent--proc-sys-net-ipv4-ip_forward";
const six = "FileContent--proc-sys-net-ipv6-conf-default-forwarding";

function siteAt(root: string, fields: Parameters<ReturnType<typeof kindsOf>["cluster"]["fill"]>[0] = {}) {
  const tools = toolsAt(root);
  const kinds = kindsOf(tools);
  const init = kinds.init.fill({ nodeRegistration: { name: "one" }, localAPIEndpoint: member });
  return { tools, paths: pathsOf(naming), member, cluster: kinds.cluster.fill(fields), init, proxy: undefined };
}

function joinAt(root: string, apiServerEndpoint: string) {
  const tools = toolsAt(root);
  const bootstrapToken = { token: "abcdef.0123456789abcdef", apiServerEndpoint, unsafeSkipCAVerification: true };
  const join = kindsOf(tools).join.fill({ nodeRegistration: { name: "one" }, discovery: { bootstrapToken } });
  return { tools, paths: pathsOf(naming), member, join };
}

const external = {
  etcd: { external: { endpoints: ["https://e:2379"], caFile: "/ca", certFile: "/c", keyFile: "/k" } },
};

describe("what is looked at", () => {
  const forwards: readonly (readonly [what: string, checks: readonly Check[], names: readonly string[]])[] = [
    ["on the first machine", firstMachineChecks(siteAt("")), [four]],
    [
      "on one of two families",
      firstMachineChecks(siteAt("", { networking: { podSubnet: "10.244.0.0/16,fd00::/48" } })),
      [four, six],
    ],
    ["below another root", firstMachineChecks(siteAt("/r")), []],
    ["where an address is joined", joiningChecks(joinAt("", "10.0.0.1:6443")), [four]],
    ["where an address of IPv6 is joined", joiningChecks(joinAt("", "[fd00::1]:6443")), [six]],
    ["where a name is joined", joiningChecks(joinAt("", "api.example:6443")), []],
    ["where an address is joined below another root", joiningChecks(joinAt("/r", "10.0.0.1:6443")), []],
  ];
  for (const [what, checks, names] of forwards) {
    test(`the kernel's forwarding ${what}`, () => assert.deepEqual(kernel(checks), names));
  }

  test("the etcd of others, where the cluster has one: its version once, its files unless they are to be fetched", () => {
    const certificates = "ExternalEtcdClientCertificates";
    const site = siteAt("", external);
    const counted = (checks: readonly Check[], name: string) => namesOf(checks).filter((each) => each === name).length;
    const options = { etcdProgram: "etcd", downloads: false };
    assert.equal(counted(firstMachineChecks(site), "ExternalEtcdVersion"), 1);
    assert.equal(counted(controlPlaneChecks(site, options), "ExternalEtcdVersion"), 0);
    assert.equal(counted(controlPlaneChecks(site, options), certificates), 3);
    assert.equal(counted(controlPlaneChecks(site, { ...options, downloads: true }), certificates), 0);
    assert.equal(counted(firstMachineChecks(siteAt("")), "ExternalEtcdVersion"), 0);
    assert.equal(counted(controlPlaneChecks(siteAt(""), options), certificates), 0);
  });

  test("the name of a machine that joins, unless it is played below another root", () => {
    assert.ok(namesOf(workerChecks(joinAt("", "10.0.0.1:6443"))).includes("Hostname"));
    assert.ok(!namesOf(workerChecks(joinAt("/r", "10.0.0.1:6443"))).includes("Hostname"));
  });
});

const HTTPS_PROXY = "http://proxy.example:3128";
const toNetwork = (network: string): string =>
  `\t[WARNING HTTPProxyCIDR]: connection to "${network}" uses proxy "${HTTPS_PROXY}". This may lead to malfunctional cluster setup. Make sure that Pod and Services IP ranges specified correctly as exceptions in proxy configuration\n`;
const toHost = (host: string): string =>
  `\t[WARNING HTTPProxy]: Connection to "https://${host}" uses proxy "${HTTPS_PROXY}". If that is not intended, adjust your proxy settings\n`;

const initLine = ["init", "phase", "preflight"];
const joinLine = (endpoint: string): readonly string[] => [
  ...["join", "phase", "preflight", endpoint, "--token=abcdef.0123456789abcdef"],
  "--discovery-token-unsafe-skip-ca-verification",
];
const proxied: readonly (readonly [
  what: string,
  line: readonly string[],
  except: string,
  warnings: readonly string[],
])[] = [
  ["init", initLine, "", [toHost("10.0.0.5"), toNetwork("10.96.0.0/12"), toNetwork("10.244.0.0/16")]],
  ["init beside an exception", initLine, "10.0.0.0/24,10.244.0.0/16", [toNetwork("10.96.0.0/12")]],
  ["init beside exceptions for all", initLine, "10.0.0.0/8", []],
  ["join", joinLine("10.0.0.1:6443"), "", [toHost("10.0.0.1")]],
  ["join of a name", joinLine("api.example:6443"), "", [toHost("api.example")]],
  ["join beside an exception", joinLine("api.example:6443"), "example", []],
];
for (const [what, line, NO_PROXY, warnings] of proxied) {
  test(`${what} tells whose connections a proxy would take`, async () => {
    const machine = openFileMachine({ environment: { HTTPS_PROXY, NO_PROXY } });
    // An error of another check ends join before it asks anybody.
    machine.write("etc/orch/agent.conf", "x");
    machine.write("etc/orch/manifests/agent.yaml", "x");
    const config = machine.write("init.yaml", initFile("networking: {podSubnet: 10.244.0.0/16}"));
    const { code, errors } = await machine.run(...line, ...(line === initLine ? [`--config=${config}`] : []));
    machine.close();
    assert.equal(code, 1);
    assert.match(errors, /Some fatal errors occurred:/);
    assert.deepEqual(
      errors.split(/(?<=\n)/).filter((text) => text.includes("HTTPProxy")),
      warnings,
    );
  });
}
