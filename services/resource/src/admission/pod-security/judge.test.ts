import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { usualPodSecurity } from "./configuration.js";
import { judge, judgeDeps } from "./judge.js";
import { labelNames, type Policy, policyOfLabels, privilegedPolicy } from "./policy.js";

const naming = createNaming("kubernetes");
const domain = "pod-security.kubernetes.io/";
const bare = { metadata: {}, spec: { hostPID: true, runtimeClassName: "r" } };

type Labels = Readonly<Record<string, string>>;

function says(labels: Labels, { enforces = true, defaults = privilegedPolicy, exempt = "" } = {}) {
  const labelled = Object.fromEntries(Object.entries(labels).map(([name, value]) => [domain + name, value]));
  const exemptions = { ...usualPodSecurity.exemptions, runtimeClasses: new Set([exempt]) };
  const deps = judgeDeps(naming, { defaults, exemptions });
  const asked = policyOfLabels(labelled, { defaults, names: labelNames(naming) });
  const { violation, warnings = [], auditAnnotations = [] } = judge(bare, asked, { ...deps, enforces });
  const notes = Object.fromEntries(auditAnnotations.map(({ key, value }) => [key.replace(domain, ""), value]));
  return { violation, warnings, notes };
}

const broken = (level: string): string => `PodSecurity "${level}": host namespaces (hostPID=true)`;
const refused = `violates ${broken("baseline:latest")}`;
const warned = [`would violate ${broken("baseline:latest")}`];
const audited = { "audit-violations": `would violate ${broken("baseline:latest")}` };
const enforced = (policy: string) => ({ "enforce-policy": policy });
const unread = (label: string, value: string, why: string) => ({
  error: `Failed to parse policy: metadata.labels[${domain}${label}]: Invalid value: "${value}": ${why}`,
});
const noLevel = "must be one of privileged, baseline, restricted";
const noVersion = 'must be "latest" or "v1.x"';
const strict: Policy = { ...privilegedPolicy, enforce: { level: "baseline", version: 25 } };

const rows: readonly (readonly [what: string, said: ReturnType<typeof says>, expected: ReturnType<typeof says>])[] = [
  [
    "warn",
    says({ warn: "baseline" }),
    { violation: undefined, warnings: warned, notes: enforced("privileged:latest") },
  ],
  [
    "audit",
    says({ audit: "baseline" }),
    { violation: undefined, warnings: [], notes: { ...enforced("privileged:latest"), ...audited } },
  ],
  [
    "all modes: who is refused is not warned",
    says({ enforce: "baseline", warn: "baseline", audit: "baseline" }),
    { violation: refused, warnings: [], notes: { ...enforced("baseline:latest"), ...audited } },
  ],
  [
    "a level that nobody knows is the strictest one, and is noted",
    says({ enforce: "bogus" }),
    {
      violation: `violates ${broken("restricted:latest")}, allowPrivilegeEscalation`.split(",")[0] ?? "",
      warnings: [],
      notes: { ...enforced("restricted:latest"), ...unread("enforce", "bogus", noLevel) },
    },
  ],
  [
    "a version that nobody knows is the latest one",
    says({ enforce: "baseline", "enforce-version": "v2.0" }),
    {
      violation: refused,
      warnings: [],
      notes: { ...enforced("baseline:latest"), ...unread("enforce-version", "v2.0", noVersion) },
    },
  ],
  [
    "a level to warn of that nobody knows is none",
    says({ warn: "bogus" }),
    {
      violation: undefined,
      warnings: [],
      notes: { ...enforced("privileged:latest"), ...unread("warn", "bogus", noLevel) },
    },
  ],
  [
    "a version to note that nobody knows is the latest one",
    says({ "audit-version": "1.2" }),
    {
      violation: undefined,
      warnings: [],
      notes: { ...enforced("privileged:latest"), ...unread("audit-version", "1.2", noVersion) },
    },
  ],
  [
    "the level that is enforced is warned of where pods are only described",
    says({ enforce: "baseline", "enforce-version": "v1.25" }, { enforces: false }),
    { violation: undefined, warnings: [`would violate ${broken("baseline:v1.25")}`], notes: {} },
  ],
  [
    "unless the namespace says what is",
    says({ enforce: "baseline", warn: "privileged" }, { enforces: false }),
    { violation: undefined, warnings: [], notes: {} },
  ],
  [
    "the configuration says what is usual",
    says({}, { defaults: strict }),
    { violation: `violates ${broken("baseline:v1.25")}`, warnings: [], notes: enforced("baseline:v1.25") },
  ],
  [
    "a runtime class may be exempt",
    says({ enforce: "baseline" }, { exempt: "r" }),
    { violation: undefined, warnings: [], notes: { exempt: "runtimeClass" } },
  ],
];
for (const [what, said, expected] of rows) test(what, () => assert.deepEqual(said, expected));
