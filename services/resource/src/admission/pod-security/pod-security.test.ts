import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { type Admitted, admitted, podOf, podsOf } from "../../testing/admitted.js";
import { usualConfigurations } from "../configurations.js";
import { usualPodSecurity } from "./configuration.js";

const domain = "pod-security.kubernetes.io/";
const namespaces = { resource: "namespaces", namespace: "" } as const;
const labels = (given: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [domain + name, value]));
const violation = 'violates PodSecurity "baseline:latest": host namespaces (hostPID=true)';
const would = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';
const refused = (name: string): string => `403 pods "${name}" is forbidden: ${violation}`;
const bad = { hostPID: true };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }], ...bad } };

async function start(t: TestContext, given: Readonly<Record<string, string>>, options: object = {}): Promise<Admitted> {
  const cluster = await admitted(t, options);
  await cluster.make(namespaces, { metadata: { name: "ns", labels: labels(given) } });
  return cluster;
}

const at: Partial<WriteRequest> = { namespace: "ns" };

test("a pod that breaks the level of its namespace is refused, at once after its namespace was made", async (t) => {
  const { says } = await start(t, { enforce: "baseline" });
  assert.equal(await says({ ...podsOf, ...at }, podOf("a", bad)), refused("a"));
  assert.equal(await says({ ...podsOf, ...at }, podOf("a")), "ok");
  assert.equal(await says(podsOf, podOf("a", bad)), "ok", "another namespace");
});

test("a pod that was there stays what it was; another image is judged", async (t) => {
  const { make, says, settled } = await start(t, {});
  await make({ ...podsOf, ...at }, podOf("a", bad));
  const change = { ...namespaces, verb: "patch", name: "ns", contentType: "application/merge-patch+json" } as const;
  await make(change, { metadata: { labels: labels({ enforce: "baseline" }) } });
  await settled();
  const patch = { ...podsOf, ...at, verb: "patch", name: "a", contentType: "application/merge-patch+json" } as const;
  assert.equal(await says(patch, { metadata: { labels: { x: "y" } } }), "ok");
  const other = { spec: { containers: [{ name: "c", image: "other" }] } };
  const strategic = { ...patch, contentType: "application/strategic-merge-patch+json" };
  assert.equal(await says(strategic, other), refused("a"));
  const debug = { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } };
  assert.equal(await says({ ...strategic, subresource: "ephemeralcontainers" }, debug), refused("a"));
});

const workloads: readonly (readonly [Partial<WriteRequest>, object])[] = [
  [{ resource: "podtemplates" }, { template }],
  [{ resource: "replicationcontrollers" }, { spec: { selector: { a: "b" }, template } }],
  ...["replicasets", "deployments", "daemonsets"].map(
    (resource) => [{ resource, group: "apps" }, { spec: { selector: { matchLabels: { a: "b" } }, template } }] as const,
  ),
  [
    { resource: "statefulsets", group: "apps" },
    { spec: { serviceName: "s", selector: { matchLabels: { a: "b" } }, template } },
  ],
  [
    { resource: "jobs", group: "batch" },
    { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
  ],
  [
    { resource: "cronjobs", group: "batch" },
    {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
  ],
];
for (const [place, body] of workloads) {
  test(`whoever writes ${place.resource} of pods that would be refused is warned`, async (t) => {
    const { write } = await start(t, { enforce: "baseline" });
    const { warnings } = await write({ ...at, ...place }, { metadata: { name: "a" }, ...body });
    assert.deepEqual(warnings, [would]);
  });
}

const noLevel = "must be one of privileged, baseline, restricted";
const noVersion = 'must be "latest" or "v1.x"';
const labelled = (name: string, value: string, why: string) =>
  `metadata.labels[${domain}${name}]: Invalid value: "${value}": ${why}`;

test("labels that cannot be read are refused, unless they were there", async (t) => {
  const open = await admitted(t, { disabled: ["PodSecurity"] });
  await open.make(namespaces, { metadata: { name: "old", labels: labels({ enforce: "bogus" }) } });
  const { says } = await open.again({ disabled: [] });
  const bogus = { metadata: { name: "x", labels: labels({ enforce: "x", "warn-version": "y", audit: "z" }) } };
  const problems = [
    labelled("enforce", "x", noLevel),
    labelled("audit", "z", noLevel),
    labelled("warn-version", "y", noVersion),
  ];
  assert.equal(await says(namespaces, bogus), `422 Namespace "x" is invalid: [${problems.join(", ")}]`);
  const change = { ...namespaces, verb: "patch", name: "old", contentType: "application/merge-patch+json" } as const;
  assert.equal(await says(change, { metadata: { labels: { a: "b" } } }), "ok");
  const worse = `422 Namespace "old" is invalid: ${labelled("enforce", "worse", noLevel)}`;
  assert.equal(await says(change, { metadata: { labels: labels({ enforce: "worse" }) } }), worse);
});

test("whoever raises the level is told of the pods that break it", async (t) => {
  const { make, write } = await start(t, {});
  for (const name of ["b", "a"]) await make({ ...podsOf, ...at }, podOf(name, bad));
  await make({ ...podsOf, ...at }, podOf("h", { hostNetwork: true, hostIPC: true, volumes: [host] }));
  await make({ ...podsOf, ...at }, podOf("fine"));
  const change = { ...namespaces, verb: "patch", name: "ns", contentType: "application/merge-patch+json" } as const;
  const asked = async (enforce: string) =>
    (await write(change, { metadata: { labels: labels({ enforce }) } })).warnings;
  assert.deepEqual(await asked("baseline"), [
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    "a (and 1 other pod): host namespaces",
    "h: host namespaces, hostPath volumes",
  ]);
  assert.deepEqual(await asked("privileged"), []);
});

const host = { name: "v", hostPath: { path: "/x" } };

test("users and namespaces may be exempt; who labels such a namespace is told that it is vain", async (t) => {
  const exemptions = { ...usualPodSecurity.exemptions, namespaces: new Set(["ns"]), users: new Set(["boss"]) };
  const configurations = { ...usualConfigurations, podSecurity: { ...usualPodSecurity, exemptions } };
  const cluster = await admitted(t, { configurations });
  const { warnings } = await cluster.write(namespaces, {
    metadata: { name: "ns", labels: labels({ enforce: "baseline" }) },
  });
  assert.deepEqual(warnings, [
    'namespace "ns" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=baseline:latest) will be ignored',
  ]);
  await cluster.make(namespaces, { metadata: { name: "held", labels: labels({ enforce: "baseline" }) } });
  const boss = { name: "boss", uid: "", groups: [], extra: {} };
  assert.equal(await cluster.says({ ...podsOf, namespace: "ns" }, podOf("a", bad)), "ok");
  assert.equal(await cluster.says({ ...podsOf, namespace: "held", user: boss }, podOf("a", bad)), "ok");
  assert.equal(await cluster.says({ ...podsOf, namespace: "held" }, podOf("b", bad)), refused("b"));
});
