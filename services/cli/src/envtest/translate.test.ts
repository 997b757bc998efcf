import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { commandLine } from "@orch/service-standalone/command-line.js";
import { withDefaults } from "./defaults.js";
import { etcdHelp, help } from "./help.js";
import { passedOver, type Shape } from "./reference-flags.js";
import { translate, type Wanted } from "./translate.js";

const { flags } = commandLine("/data");
const own = new Map<string, Shape>([
  ...Object.entries(flags).map(([name, { type }]): [string, Shape] => [name, type === "bool" ? "bool" : "value"]),
  ["version", "bool"],
]);
const reference = readFileSync(new URL("../../testdata/reference-flags.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((name) => name !== "");

function wanted(...argv: readonly string[]): Wanted {
  const translation = translate(argv, own);
  assert.ok(translation.ok, JSON.stringify(translation));
  return translation.wanted;
}

/** Names of admission plugins of the reference. */
const plugins = [
  ...["AlwaysAdmit", "AlwaysDeny", "AlwaysPullImages", "CertificateApproval", "CertificateSigning"],
  ...["CertificateSubjectRestriction", "ClusterTrustBundleAttest", "DefaultIngressClass", "DefaultStorageClass"],
  ...["DefaultTolerationSeconds", "DenyServiceExternalIPs", "EventRateLimit", "ExtendedResourceToleration"],
  ...["ImagePolicyWebhook", "LimitPodHardAntiAffinityTopology", "LimitRanger", "MutatingAdmissionPolicy"],
  ...["MutatingAdmissionWebhook", "NamespaceAutoProvision", "NamespaceExists", "NamespaceLifecycle"],
  ...["NodeRestriction", "OwnerReferencesPermissionEnforcement", "PersistentVolumeClaimResize", "PodNodeSelector"],
  ...["PodSecurity", "PodTolerationRestriction", "Priority", "ResourceQuota", "RuntimeClass", "ServiceAccount"],
  ...["StorageObjectInUseProtection", "TaintNodesByCondition", "ValidatingAdmissionPolicy"],
  "ValidatingAdmissionWebhook",
];

describe("a command line of the reference server", () => {
  test("may have every flag of the reference, in each of its forms", () => {
    assert.equal(reference.length, 171);
    for (const name of reference) {
      if (name === "help") continue;
      for (const argv of [[`--${name}=1`], [`--${name.replaceAll("-", "_")}=1`]]) {
        const { given, passedOver: over, certDir } = wanted(...argv);
        const meaning = [given.size > 0, over.length > 0, certDir !== undefined].filter(Boolean).length;
        assert.ok(meaning === 1 || ["etcd-servers", "etcd-servers-overrides", "allow-privileged"].includes(name), name);
      }
    }
    for (const name of Object.keys(passedOver)) assert.ok(reference.includes(name) && !own.has(name), name);
  });

  test("that envtest writes is one of ours", () => {
    const envtest = [
      ...["--bind-address=127.0.0.1", "--secure-port=41235", "--cert-dir=/certs", "--authorization-mode=RBAC"],
      ...["--client-ca-file=/certs/client-cert-auth-ca.crt", "--service-account-issuer=https://127.0.0.1:41235/"],
      ...["--service-account-key-file=/certs/sa-signer.crt", "--service-account-signing-key-file=/certs/sa-signer.key"],
      ...["--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true"],
      ...["--disable-admission-plugins=ServiceAccount", "--etcd-servers=http://127.0.0.1:41234"],
    ];
    const read = wanted(...envtest);
    assert.deepEqual([read.certDir, read.passedOver], ["/certs", []]);
    const around = { folder: "/tmp/x", certificate: "/certs/apiserver.crt", certificateKey: "/key", accountKey: "" };
    const argv = withDefaults(read, around);
    assert.deepEqual(argv.slice(0, 8), [
      ...["--data-dir=/tmp/x", "--api-dialect=kubernetes", "--store-in-memory=true", "--own-pki=false"],
      ...["--controllers=", "--shutdown-grace-duration=20ms", "--tls-cert-file=/certs/apiserver.crt"],
      "--tls-private-key-file=/key",
    ]);
    const line = readCommandLine({ name: "x", description: "", version: "", flags }, argv);
    assert.ok(line.run, JSON.stringify(line));
    assert.deepEqual(line.values["etcd-servers"], []);
    assert.deepEqual(line.values["disable-admission-plugins"], ["ServiceAccount"]);
  });

  test("may name every admission plugin of the reference", () => {
    for (const flag of ["enable-admission-plugins", "disable-admission-plugins"]) {
      const line = readCommandLine({ name: "x", description: "", version: "", flags }, [
        `--${flag}=${plugins.join(",")}`,
      ]);
      assert.ok(line.run, JSON.stringify(line));
    }
  });

  const rows: readonly [argv: readonly string[], ours: readonly string[], over: readonly string[]][] = [
    [["--contention-profiling", "--v", "4"], ["--v=4"], ["--contention-profiling"]],
    [["--contention-profiling=false", "-v=4"], ["--v=4"], ["--contention-profiling"]],
    [["--profiling=false"], ["--profiling=false"], []],
    [["--goaway-chance", "0.1", "--anonymous-auth"], ["--anonymous-auth"], ["--goaway-chance"]],
    [["--watch-cache", "--watch-cache=false"], [], ["--watch-cache"]],
    [["--allow-privileged=false"], [], ["--allow-privileged=false"]],
    [["--advertise-address=127.0.0.1"], [], ["--advertise-address=127.0.0.1"]],
    [["--advertise-address=10.1.2.3"], ["--advertise-address=10.1.2.3"], []],
    [["--audit_webhook_batch_initial_backoff=1s"], ["--audit-webhook-initial-backoff=1s"], []],
    [["--etcd-servers=http://a:1"], [], []],
    [
      ["--etcd-servers", "http://a:1", "--store-in-memory=false"],
      ["--store-in-memory=false", "--etcd-servers=http://a:1"],
      [],
    ],
    [["--tls-cert-file", "--odd"], ["--tls-cert-file=--odd"], []],
    [["--secure-port=1", "--help"], ["--help"], []],
  ];
  for (const [argv, ours, over] of rows) {
    test(`${argv.join(" ")} means ${[...ours, ...over.map((name) => `${name} is passed over`)].join(", ") || "nothing"}`, () => {
      const read = wanted(...argv);
      assert.deepEqual([read.argv, read.passedOver], [ours, over]);
    });
  }

  const wrong: readonly [argv: readonly string[], problem: RegExp][] = [
    [["--insecure-port=0"], /^unknown flag: --insecure-port/],
    [["--secur-port=1"], /^unknown flag: --secur-port \(did you mean --secure-port\?\)$/],
    [["--profilin"], /^unknown flag: --profilin \(did you mean --profiling\?\)$/],
    [["--constructor=1"], /^unknown flag: --constructor$/],
    [["--goaway-chance"], /^flag needs an argument: --goaway-chance$/],
    [["serve"], /^unexpected argument: serve$/],
    [["-verbose"], /^unexpected argument: -verbose$/],
    [["--"], /^unexpected argument: --$/],
    [[""], /^unexpected argument: $/],
    [[`--${"x".repeat(1e6)}`], /^unknown flag: --x{100}…$/],
  ];
  for (const [argv, problem] of wrong) {
    test(`${argv.join(" ").slice(0, 40)} is refused`, () => {
      const translation = translate(argv, own);
      assert.ok(!translation.ok);
      assert.match(translation.problem, problem);
    });
  }
});

test("the help can stand in a shell script and does not list a port without encryption", () => {
  for (const text of [help, etcdHelp]) assert.doesNotMatch(text, /'|insecure/);
});
