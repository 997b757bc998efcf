import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { testCertificate } from "@orch/client/testing/test-certificate.js";
import { createNaming } from "@orch/naming/naming.js";
import { controllerNames } from "./controller.js";
import { accountFlags, controllerFlags, leaderElectionFlags } from "./flags.js";
import { accountSettings, controllerSettings, leaderElectionSettings } from "./settings.js";

const refuse = (problem: string): never => {
  throw new Error(problem);
};

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
  assert.deepEqual(leaderElectionSettings(election, { naming, identity: "me", refuse }), {
    identity: "me",
    name: "kube-controller-manager",
    namespace: "kube-system",
    ...times,
  });
  const named = { ...election, "leader-elect-resource-name": "lock", "leader-elect-resource-namespace": "here" };
  const settings = leaderElectionSettings(named, { naming: createNaming("orch"), identity: "me", refuse });
  assert.deepEqual(settings, { identity: "me", name: "lock", namespace: "here", ...times });
  const off = { ...election, "leader-elect": false };
  assert.equal(leaderElectionSettings(off, { naming, identity: "me", refuse }), undefined);
});

const refused: readonly (readonly [Partial<typeof election>, RegExp])[] = [
  [{ "leader-elect-lease-duration": 500 }, /lease-duration must be at least 1s/],
  [{ "leader-elect-renew-deadline": 15_000 }, /renew-deadline must be less than/],
  [{ "leader-elect-retry-period": 0 }, /retry-period must be greater than zero/],
  [{ "leader-elect-retry-period": 9_000 }, /renew-deadline must be greater than 1.2 times/],
];
for (const [flags, problem] of refused) {
  test(`refused: ${JSON.stringify(flags)}`, () => {
    const parts = { naming: createNaming("orch"), identity: "me", refuse };
    assert.throws(() => leaderElectionSettings({ ...election, ...flags }, parts), { message: problem });
  });
}

test("without the garbage collector the others run", () => {
  const values = {
    controllers: ["*"],
    "enable-garbage-collector": false,
    "concurrent-gc-syncs": controllerFlags["concurrent-gc-syncs"].default,
    "concurrent-namespace-syncs": controllerFlags["concurrent-namespace-syncs"].default,
  };
  const { controllers, garbageCollectorWorkers, namespaceWorkers } = controllerSettings(values, refuse);
  const others = controllerNames.filter((name) => name !== "garbage-collector-controller");
  assert.deepEqual([...controllers], others);
  assert.deepEqual([garbageCollectorWorkers, namespaceWorkers], [20, 10]);
  assert.throws(() => controllerSettings({ ...values, controllers: ["nope"] }, refuse), /known controllers/);
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
  assert.deepEqual(accountSettings(none, { read, refuse }), absent);
  const both = { ...none, "service-account-private-key-file": "key", "root-ca-file": "ca" };
  const settings = { tokenKeyPem: key, tokenWorkers: 5, rootCa: testCertificate };
  assert.deepEqual(accountSettings(both, { read, refuse }), settings);
});

const brokenCertificate = testCertificate.replace("MII", "MIX");
const refusedFiles: readonly (readonly [Partial<typeof none>, RegExp])[] = [
  [{ "service-account-private-key-file": "junk" }, /^--service-account-private-key-file junk: .* no private key/],
  [{ "service-account-private-key-file": "gone" }, /^--service-account-private-key-file gone: no gone/],
  [{ "root-ca-file": "junk" }, /^--root-ca-file junk: it holds no certificate/],
  [{ "root-ca-file": "broken" }, /^--root-ca-file broken: a certificate cannot be read/],
];
for (const [flags, message] of refusedFiles) {
  test(`refused: ${JSON.stringify(flags)}`, () => {
    const readAll = (path: string): string => (path === "broken" ? brokenCertificate : read(path));
    assert.throws(() => accountSettings({ ...none, ...flags }, { read: readAll, refuse }), { message });
  });
}
