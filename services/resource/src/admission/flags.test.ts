import assert from "node:assert/strict";
import { test } from "node:test";
import { admissionSettings } from "./flags.js";
import { pluginNames } from "./plugin-names.js";

const settings = (enabled: readonly string[], disabled: readonly string[]) =>
  admissionSettings({
    "enable-admission-plugins": [...enabled],
    "disable-admission-plugins": [...disabled],
    "admission-control-config-file": "",
    "default-not-ready-toleration-seconds": 300,
    "default-unreachable-toleration-seconds": 300,
  });

const usuallyOn = [
  ...["NamespaceLifecycle", "LimitRanger", "ServiceAccount", "TaintNodesByCondition", "PodSecurity", "Priority"],
  ...["DefaultTolerationSeconds", "DefaultStorageClass", "StorageObjectInUseProtection", "PersistentVolumeClaimResize"],
  ...["RuntimeClass", "CertificateApproval", "CertificateSigning", "ClusterTrustBundleAttest"],
  ...["CertificateSubjectRestriction", "DefaultIngressClass", "MutatingAdmissionPolicy"],
  ...["MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook", "ResourceQuota"],
];

test("what usually runs is what runs in the reference, NodeRestriction not among it", () => {
  const read = settings([], []);
  assert.ok(read.ok);
  const on = [...pluginNames.keys()].filter((name) => !read.value.disabled.has(name));
  assert.deepEqual(on, usuallyOn);
});

/** What plugins say that do not run without a file. */
const needFiles = new Map([
  ["EventRateLimit", 'couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: []: must not be empty'],
  ["ImagePolicyWebhook", 'couldn\'t init admission plugin "ImagePolicyWebhook": no config specified'],
]);

test("both flags take every name of the reference, 35 of them", () => {
  const names = [...pluginNames.keys()];
  assert.equal(names.length, 35);
  for (const name of names) {
    const [on, off] = [settings([name], []), settings([], [name])];
    const without = needFiles.get(name);
    if (without !== undefined) assert.deepEqual(on, { ok: false, problems: [without] });
    else assert.ok(on.ok && !on.value.disabled.has(name), name);
    assert.ok(off.ok && off.value.disabled.has(name), name);
  }
});

const refusals: readonly (readonly [enabled: string[], disabled: string[], problem: string])[] = [
  [["serviceaccount"], [], 'enable-admission-plugins plugin "serviceaccount" is unknown'],
  [[], ["Nope"], 'disable-admission-plugins plugin "Nope" is unknown'],
  [
    ["ServiceAccount"],
    ["ServiceAccount"],
    "[ServiceAccount] in enable-admission-plugins and disable-admission-plugins overlapped",
  ],
];
for (const [enabled, disabled, problem] of refusals) {
  test(`enabling [${enabled}] and disabling [${disabled}] is refused`, () => {
    assert.deepEqual(settings(enabled, disabled), { ok: false, problems: [problem] });
  });
}
