import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { Parsed } from "@orch/auth/parsed.js";
import { testCertificate } from "@orch/client/testing/test-certificate.js";
import { createNaming } from "@orch/naming/naming.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { controllerNames, offByDefault } from "./controller.js";
import { accountFlags, controllerFlags, leaderElectionFlags, managerFlags } from "./flags.js";
import { accountSettings, controllerManagerSettings, controllerSettings, leaderElectionSettings } from "./settings.js";

/** The settings, or an error with the problems that they have. */
function settingsIn<T>(settings: Parsed<T>): T {
  if (settings.ok) return settings.value;
  throw new Error(settings.problems.join("; "));
}

const election = {
  "leader-elect": true,
  "leader-elect-lease-duration": leaderElectionFlags["leader-elect-lease-duration"].default,
  "leader-elect-renew-deadline": leaderElectionFlags["leader-elect-renew-deadline"].default,
  "leader-elect-retry-period": leaderElectionFlags["leader-elect-retry-period"].default,
  "leader-elect-resource-name": "",
  "leader-elect-resource-namespace": "",
};

test("the lease has the controller manager's name in the dialect, unless flags name it", () => {
  const naming = createNaming("kubernetes");
  const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
  assert.deepEqual(settingsIn(leaderElectionSettings(election, { naming, identity: "me" })), {
    identity: "me",
    name: "kube-controller-manager",
    namespace: "kube-system",
    ...times,
  });
  const named = { ...election, "leader-elect-resource-name": "lock", "leader-elect-resource-namespace": "here" };
  const settings = settingsIn(leaderElectionSettings(named, { naming: createNaming("orch"), identity: "me" }));
  assert.deepEqual(settings, { identity: "me", name: "lock", namespace: "here", ...times });
  const off = { ...election, "leader-elect": false };
  assert.equal(settingsIn(leaderElectionSettings(off, { naming, identity: "me" })), undefined);
});

const refused: readonly (readonly [Partial<typeof election>, RegExp])[] = [
  [{ "leader-elect-lease-duration": 500 }, /lease-duration must be at least 1s/],
  [{ "leader-elect-renew-deadline": 15_001 }, /renew-deadline must be at most/],
  [{ "leader-elect-retry-period": 0 }, /retry-period must be greater than zero/],
  [{ "leader-elect-retry-period": 9_000 }, /renew-deadline must be greater than 1.2 times/],
];
for (const [flags, problem] of refused) {
  test(`refused: ${JSON.stringify(flags)}`, () => {
    const parts = { naming: createNaming("orch"), identity: "me" };
    assert.throws(() => settingsIn(leaderElectionSettings({ ...election, ...flags }, parts)), { message: problem });
  });
}

/** What a command line with these flags makes. */
function settingsOf(...argv: readonly string[]) {
  const line = readCommandLine({ name: "x", description: "", version: "", flags: controllerFlags }, argv);
  assert.ok(line.run);
  return settingsIn(
    controllerSettings(line.values, { naming: createNaming("orch"), read: () => "", serviceRanges: [] }),
  );
}

test("without the garbage collector the others run", () => {
  const settings = settingsOf("--enable-garbage-collector=false");
  const usual = controllerNames.filter((name) => !offByDefault.has(name));
  const others = usual.filter((name) => name !== "garbage-collector-controller");
  assert.deepEqual([...settings.controllers], others);
  assert.deepEqual([settings.garbageCollectorWorkers, settings.namespaceWorkers], [20, 10]);
  assert.throws(() => settingsOf("--controllers=nope"), /known controllers/);
});

test("nodes are looked at now and then, with a cloud or without", () => {
  assert.throws(() => settingsOf("--node-monitor-period=0s"), /--node-monitor-period must be greater than zero/);
});

test("a simulated cloud has ranges of addresses, other clouds are not known", () => {
  assert.equal(settingsOf().cluster.cloud, undefined);
  const ranges = (list: string) =>
    settingsOf("--cloud-provider=simulated", `--simulated-load-balancer-ranges=${list}`).cluster.cloud?.provider.ranges;
  assert.equal(ranges("192.0.2.0/24,2001:db8::/112")?.length, 2);
  assert.throws(() => ranges("192.0.2.0/24,198.51.100.0/24"), /one range, or one of each family/);
  assert.throws(() => ranges(""), /one range, or one of each family/);
  assert.throws(() => ranges("10.0.0.0/8"), /more than 65536 addresses/);
  assert.throws(() => settingsOf("--cloud-provider=aws"), /unknown cloud provider "aws"/);
});

test("one authority signs for all, or each signer has its own", () => {
  const [cert, key] = ["--cluster-signing-cert-file=c", "--cluster-signing-key-file=k"] as const;
  const files = { certificate: "c", key: "k" };
  assert.deepEqual(settingsOf().signing, { authorities: {}, durationMs: 31_536_000_000 });
  assert.deepEqual(settingsOf(cert, key, "--cluster-signing-duration=1h").signing, {
    authorities: {
      "agent-serving": files,
      "agent-client": files,
      "apiserver-client": files,
      "legacy-unknown": files,
    },
    durationMs: 3_600_000,
  });
  const own = ["--cluster-signing-agent-client-cert-file=c", "--cluster-signing-agent-client-key-file=k"] as const;
  assert.deepEqual(settingsOf(...own).signing.authorities, { "agent-client": files });
  const rows: readonly (readonly [readonly string[], RegExp])[] = [
    [[cert], /--cluster-signing-cert-file and --cluster-signing-key-file belong together/],
    [[own[1]], /--cluster-signing-agent-client-cert-file and --cluster-signing-agent-client-key-file belong/],
    [[cert, key, ...own], /for all signers: it excludes --cluster-signing-agent-client-cert-file/],
    [["--cluster-signing-duration=0s"], /must be greater than zero/],
  ];
  for (const [argv, problem] of rows) assert.throws(() => settingsOf(...argv), problem);
});

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const files: Readonly<Record<string, string>> = { key, ca: testCertificate, junk: "junk" };
const read = (path: string): string => files[path] ?? assert.fail(`no ${path}`);
const none = {
  "service-account-private-key-file": "",
  "concurrent-serviceaccount-token-syncs": accountFlags["concurrent-serviceaccount-token-syncs"].default,
  "root-ca-file": "",
};

test("files of accounts are read where they are named", () => {
  const absent = { tokenKeyPem: undefined, tokenWorkers: 5, rootCa: undefined };
  assert.deepEqual(settingsIn(accountSettings(none, read)), absent);
  const both = { ...none, "service-account-private-key-file": "key", "root-ca-file": "ca" };
  const settings = { tokenKeyPem: key, tokenWorkers: 5, rootCa: testCertificate };
  assert.deepEqual(settingsIn(accountSettings(both, read)), settings);
});

const brokenCertificate = testCertificate.replace("MII", "MIX");
const refusedFiles: readonly (readonly [Partial<typeof none>, RegExp])[] = [
  [{ "service-account-private-key-file": "junk" }, /^--service-account-private-key-file junk: .* no private key/],
  [{ "service-account-private-key-file": "gone" }, /^--service-account-private-key-file gone: no gone/],
  [{ "root-ca-file": "junk" }, /^--root-ca-file junk: there is no certificate/],
  [{ "root-ca-file": "broken" }, /^--root-ca-file broken: certificate 1 cannot be read/],
];
for (const [flags, message] of refusedFiles) {
  test(`refused: ${JSON.stringify(flags)}`, () => {
    const readAll = (path: string): string => (path === "broken" ? brokenCertificate : read(path));
    assert.throws(() => settingsIn(accountSettings({ ...none, ...flags }, readAll)), { message });
  });
}

test("the problems of all groups of flags are told at once", () => {
  const line = readCommandLine({ name: "x", description: "", version: "", flags: managerFlags }, [
    "--controllers=nope",
    "--root-ca-file=junk",
    "--leader-elect-retry-period=0s",
  ]);
  assert.ok(line.run);
  const settings = controllerManagerSettings(line.values, { naming: createNaming("orch"), identity: "me", read });
  assert.ok(!settings.ok);
  assert.equal(settings.problems.length, 3);
});
