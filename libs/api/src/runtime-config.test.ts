import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRuntimeConfig, type ServableKind, servedBy } from "./runtime-config.js";
import { isServed } from "./versions.js";

const kind = (key: string, introduced: string, removed?: string): ServableKind => {
  const [group = "", version = "", plural = ""] = key.split("/");
  return { group, version, plural, release: { introduced, removed } };
};

const kinds: readonly ServableKind[] = [
  kind("/v1/pods", "1.0"),
  kind("/v1/secrets", "1.0"),
  kind("apps/v1/deployments", "1.9"),
  kind("apps/v1/daemonsets", "1.9"),
  kind("batch/v1/cronjobs", "1.21"),
  kind("batch/v1beta1/cronjobs", "1.8", "1.25"),
  kind("storage.k8s.io/v1/csinodes", "1.17"),
  kind("storage.k8s.io/v1beta1/volumeattributesclasses", "1.31"),
  kind("storage.k8s.io/v1beta1/csistoragecapacities", "1.21", "1.27"),
  kind("storage.k8s.io/v1alpha1/volumeattributesclasses", "1.29"),
];

function config(entries: readonly string[], release = "1.32") {
  const parsed = parseRuntimeConfig(entries, { kinds, release });
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.problem);
  return parsed.config;
}

/** Served kinds as `group/version/plural`, in the table's order. */
function served(entries: readonly string[], release = "1.32"): readonly string[] {
  const isOn = servedBy(config(entries, release));
  return kinds
    .filter((k) => isOn(k, isServed(k.version, k.release, release)))
    .map((k) => `${k.group}/${k.version}/${k.plural}`);
}

const core = ["/v1/pods", "/v1/secrets"];
const apps = ["apps/v1/deployments", "apps/v1/daemonsets"];
const cronJobs = "batch/v1/cronjobs";
const csiNodes = "storage.k8s.io/v1/csinodes";
const beta = "storage.k8s.io/v1beta1/volumeattributesclasses";
const alpha = "storage.k8s.io/v1alpha1/volumeattributesclasses";
const stable = [...core, ...apps, cronJobs, csiNodes];

test("every form of a key, and which wins", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["", stable],
    // versions
    ["v1=false", [...apps, cronJobs, csiNodes]],
    ["api/v1=false", [...apps, cronJobs, csiNodes]],
    ["/v1=false", [...apps, cronJobs, csiNodes]],
    ["apps/v1=false", [...core, cronJobs, csiNodes]],
    ["apps/v1=false apps/v1=true", stable],
    ["storage.k8s.io/v1beta1", [...stable, beta]],
    ["storage.k8s.io/v1beta1=", [...stable, beta]],
    ["storage.k8s.io/v1beta1=true storage.k8s.io/v1alpha1=true", [...stable, beta, alpha]],
    [" storage.k8s.io/v1beta1 = true ", [...stable, beta]],
    // resources
    ["v1/secrets=false", ["/v1/pods", ...apps, cronJobs, csiNodes]],
    ["api/v1/secrets=false", ["/v1/pods", ...apps, cronJobs, csiNodes]],
    ["/v1/secrets=false", ["/v1/pods", ...apps, cronJobs, csiNodes]],
    ["storage.k8s.io/v1beta1/volumeattributesclasses=true", [...stable, beta]],
    ["apps/v1/daemonsets=false", [...core, "apps/v1/deployments", cronJobs, csiNodes]],
    ["apps/v1=false apps/v1/daemonsets=true", [...core, "apps/v1/daemonsets", cronJobs, csiNodes]],
    ["apps/v1/daemonsets=true apps/v1=false", [...core, "apps/v1/daemonsets", cronJobs, csiNodes]],
    // stabilities
    ["api/all=true", [...stable, beta, alpha]],
    ["api/all", [...stable, beta, alpha]],
    ["api/beta=true", [...stable, beta]],
    ["api/alpha=true", [...stable, alpha]],
    ["api/ga=false", []],
    ["api/all=false api/ga=true", stable],
    ["api/ga=true api/all=false", stable],
    ["api/all=true api/beta=false", [...stable, alpha]],
    ["api/all=false apps/v1=true", apps],
    ["api/all=false v1=true v1/secrets=false", ["/v1/pods"]],
    ["api/beta=true storage.k8s.io/v1beta1=false", stable],
    ["api/beta=false storage.k8s.io/v1beta1/volumeattributesclasses=true", [...stable, beta]],
  ];
  for (const [entries, on] of rows) {
    const list = entries.startsWith(" ") ? [entries] : entries.split(" ").filter((e) => e !== "");
    assert.deepEqual([...served(list)].sort(), [...on].sort(), entries);
  }
});

test("what a release does not have can not be enabled, and it is said", () => {
  const everything = ["api/all=true", "batch/v1beta1=true", "batch/v1beta1/cronjobs=true"];
  assert.ok(!served(everything, "1.25").includes("batch/v1beta1/cronjobs"));
  assert.ok(served([], "1.24").includes("batch/v1beta1/cronjobs"), "before 1.22 beta versions came enabled");
  assert.ok(!served(["api/beta=false"], "1.24").includes("batch/v1beta1/cronjobs"));
  assert.ok(!served(["api/all", "storage.k8s.io/v1beta1", `${beta}=true`], "1.30").includes(beta));
  assert.ok(served(["api/beta"], "1.31").includes(beta));
  assert.deepEqual(config(["batch/v1beta1=true"]).warnings, [
    "--runtime-config: batch/v1beta1 changes nothing, release 1.32 does not have it",
  ]);
  assert.equal(config(["storage.k8s.io/v1beta1/csistoragecapacities"]).warnings.length, 1);
  assert.deepEqual(config(["batch/v1beta1=false", "storage.k8s.io/v1beta1", "api/all"]).warnings, []);
});

test("what can not be is refused with its key", () => {
  const form = "the key must be api/<stability>, <group>/<version> or <group>/<version>/<resource>";
  const rows: readonly (readonly [string, string])[] = [
    ["apps/v1=maybe", 'apps/v1: the value must be true or false, not "maybe"'],
    ["apps/v1=1", 'apps/v1: the value must be true or false, not "1"'],
    ["api/all=TRUE", 'api/all: the value must be true or false, not "TRUE"'],
    ["app/v1=true", "app/v1: unknown API group app (did you mean apps?)"],
    ["extensions/v1beta1", "extensions/v1beta1: unknown API group extensions"],
    ["apps/v2", "apps/v2: unknown API version apps/v2 (did you mean apps/v1?)"],
    ["v2", "v2: unknown API version v2 (did you mean v1?)"],
    ["api/v1beta1", "api/v1beta1: unknown API version v1beta1"],
    [
      "apps/v1/deployment=true",
      "apps/v1/deployment: unknown resource deployment in apps/v1 (did you mean deployments?)",
    ],
    ["apps/v1/Deployments", "apps/v1/Deployments: unknown resource Deployments in apps/v1 (did you mean deployments?)"],
    ["v1/nothing", "v1/nothing: unknown resource nothing in v1"],
    ["api/v1/pod", "api/v1/pod: unknown resource pod in v1 (did you mean pods?)"],
    ["api/bet=true", "api/bet: unknown key (did you mean api/beta?)"],
    ["api/legacy", "api/legacy: unknown key"],
    ["api", "api: unknown key"],
    ["apps=true", `apps: ${form}`],
    ["apps/", `apps/: ${form}`],
    ["apps/v1/", `apps/v1/: ${form}`],
    ["apps/v1/deployments/scale", `apps/v1/deployments/scale: ${form}`],
    ["=true", `: ${form}`],
    ["api/all=false", "api/all=false alone leaves nothing to serve"],
  ];
  for (const [entry, problem] of rows) {
    const parsed = parseRuntimeConfig([entry], { kinds, release: "1.32" });
    assert.deepEqual(parsed, { ok: false, problem: `--runtime-config: ${problem}` }, entry);
  }
});
