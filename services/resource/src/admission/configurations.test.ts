import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { parsePluginConfigurations, usualConfigurations } from "./configurations.js";

const naming = createNaming("kubernetes");
const podSecurity = (enforce: string) => ({
  ...{ apiVersion: "pod-security.admission.config.k8s.io/v1", kind: "PodSecurityConfiguration" },
  defaults: { enforce },
});
const quota = {
  ...{ apiVersion: "apiserver.config.k8s.io/v1", kind: "ResourceQuotaConfiguration" },
  limitedResources: [
    {
      ...{ apiGroup: "", resource: "pods", matchContains: ["cpu"] },
      matchScopes: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }],
    },
  ],
};

/** Those that do not run without a part. */
const needFiles: ReadonlySet<string> = new Set(["EventRateLimit", "ImagePolicyWebhook"]);

test("the parts of plugins that run are read, every problem named by its plugin", () => {
  const parts = new Map<string, unknown>([
    ["PodSecurity", podSecurity("bogus")],
    ["ResourceQuota", { ...quota, limitedResources: [{ apiGroup: "" }] }],
    ["EventRateLimit", {}],
  ]);
  const runs = (plugin: string): boolean => !needFiles.has(plugin);
  assert.deepEqual(parsePluginConfigurations(parts, { naming, runs }), {
    ok: false,
    problems: [
      'couldn\'t init admission plugin "PodSecurity": enforce: must be one of privileged, baseline, restricted',
      'couldn\'t init admission plugin "ResourceQuota": limitedResources[0].resource: Required value',
    ],
  });
});

test("what is said holds, and elsewhere what is usual", () => {
  const parts = new Map<string, unknown>([
    ["PodSecurity", podSecurity("baseline")],
    ["ResourceQuota", quota],
  ]);
  const read = parsePluginConfigurations(parts, { naming, runs: (plugin) => !needFiles.has(plugin) });
  assert.ok(read.ok);
  assert.equal(read.value.podSecurity.defaults.enforce.level, "baseline");
  assert.deepEqual(read.value.resourceQuota.limitedResources, [
    {
      ...{ group: "", resource: "pods", matchContains: ["cpu"] },
      matchScopes: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }],
    },
  ]);
  assert.deepEqual(read.value.podNodeSelector, usualConfigurations.podNodeSelector);
});
