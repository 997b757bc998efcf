import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { parsePodSecurityConfiguration, usualPodSecurity } from "./configuration.js";

const naming = createNaming("kubernetes");
const apiVersion = "pod-security.admission.config.k8s.io/v1";
const whole = (more: object): object => ({ kind: "PodSecurityConfiguration", apiVersion, ...more });
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const wrong: readonly (readonly [file: unknown, ...problems: string[]])[] = [
  [whole({ defaults: { enforce: "bogus" } }), "enforce: must be one of privileged, baseline, restricted"],
  [whole({ defaults: { "enforce-version": "v9" } }), 'enforce-version: must be "latest" or "v1.x"'],
  [
    whole({ defaults: { audit: "x", "warn-version": "y" } }),
    "audit: must be one of privileged, baseline, restricted",
    'warn-version: must be "latest" or "v1.x"',
  ],
  [whole({ exemptions: { usernames: ["a", "a"] } }), 'exemptions.usernames[1]: Duplicate value: "a"'],
  [whole({ exemptions: { namespaces: ["A_b"] } }), `exemptions.namespaces[0]: Invalid value: "A_b": ${label}`],
  [
    whole({ exemptions: { runtimeClasses: ["A_b"] } }),
    `exemptions.runtimeClasses[0]: Invalid value: "A_b": ${subdomain}`,
  ],
  [{ kind: "Other", apiVersion: "v1" }, 'no kind "Other" is registered for version "v1"'],
  [whole({ bogus: 1 }), 'unknown field "bogus"'],
  ["garbage", "the file: must be an object", 'no kind "" is registered for version ""'],
];
for (const [file, ...problems] of wrong) {
  test(`configuration ${JSON.stringify(file)} is refused`, () => {
    assert.deepEqual(parsePodSecurityConfiguration(file, naming), { ok: false, problems });
  });
}

test("a configuration that says nothing says what is usual", () => {
  for (const file of [undefined, null, whole({}), whole({ apiVersion: apiVersion.replace("v1", "v1beta1") })]) {
    assert.deepEqual(parsePodSecurityConfiguration(file, naming), { ok: true, value: usualPodSecurity });
  }
});

test("a configuration says what holds for namespaces that do not, and who is exempt", () => {
  const read = parsePodSecurityConfiguration(
    whole({
      defaults: { enforce: "baseline", "enforce-version": "v1.25", warn: "restricted" },
      exemptions: { usernames: ["u"], namespaces: ["n"], runtimeClasses: ["r.c"] },
    }),
    naming,
  );
  assert.ok(read.ok);
  assert.deepEqual(read.value.defaults.enforce, { level: "baseline", version: 25 });
  assert.deepEqual(read.value.defaults.audit, { level: "privileged", version: "latest" });
  assert.deepEqual(read.value.defaults.warn, { level: "restricted", version: "latest" });
  const { users, namespaces, runtimeClasses } = read.value.exemptions;
  assert.deepEqual([...users, ...namespaces, ...runtimeClasses], ["u", "n", "r.c"]);
});
