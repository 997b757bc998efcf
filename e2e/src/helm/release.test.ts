import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { clientOf } from "../harness/clients.js";
import { type StandaloneTarget, startStandalone, withoutWorkloads } from "../harness/target.js";
import { until } from "../harness/until.js";
import { buildHelm, chart, type Helm, helmIn, helmMajors, render } from "./helm.js";
import { runJobs } from "./job-runner.js";
import { collectionOf, foreignDefinitions } from "./kinds.js";
import { podsOf, readObjects, textAt, valueAt } from "./rendered.js";
import { matrix } from "./values.js";

/** The chart in the hands of a cluster: orch itself, in the kubernetes dialect, in namespaces that take restricted pods alone. */
let folder: string;
let target: StandaloneTarget;
let client: Client;
let missing: string | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-helm-"));
  for (const major of helmMajors) missing ??= await buildHelm(major, join(folder, `helm${major}`));
  if (missing !== undefined) return;
  target = await startStandalone({ dialect: "kubernetes", args: [withoutWorkloads] });
  client = await clientOf(target);
});
after(async () => {
  await client?.close();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

function available(t: TestContext): boolean {
  if (missing !== undefined) t.skip(missing);
  return missing === undefined;
}

const helmOf = (major: 3 | 4): Helm =>
  helmIn({ major, program: join(folder, `helm${major}`), folder, clientConfig: target.clientConfig });

async function restrictedNamespace(name: string): Promise<void> {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await client.create({ group: "", version: "v1", resource: "namespaces" }, { metadata: { name, labels } });
}

/** Creates what is not there yet. */
async function ensure(object: ApiObject, namespace: string): Promise<void> {
  await client.create(collectionOf(object, namespace), object).catch((error: unknown) => {
    if (ApiError.from(error).reason !== "AlreadyExists") throw error;
  });
}

describe("the chart's objects", () => {
  test("are taken as they are with every set of values, and so are their pods, in a restricted namespace", async (t) => {
    if (!available(t)) return;
    const namespace = "orch";
    await restrictedNamespace(namespace);
    for (const definition of foreignDefinitions) await ensure(definition, namespace);
    for (const { kind = "", apiVersion = "" } of foreignDefinitions.map(served)) {
      const collection = collectionOf({ kind, apiVersion, metadata: {} }, namespace);
      await until(`${kind} is served`, () => client.list(collection).then(Boolean, () => undefined));
    }
    let taken = 0;
    const take = async (title: string, object: ApiObject): Promise<void> => {
      const options = { dryRun: true, fieldValidation: "Strict" } as const;
      await client.create(collectionOf(object, namespace), object, options).catch((error: unknown) => {
        assert.fail(`${title}: ${object.kind} ${object.metadata.name}: ${ApiError.from(error).message}`);
      });
      taken += 1;
    };
    const rendered = new Map<string, readonly ApiObject[]>();
    for (const [title, values] of Object.entries(matrix)) {
      const objects = readObjects(await render(helmOf(3), values));
      rendered.set(title, objects);
      for (const object of objects) await take(title, object);
    }
    for (const [title, objects] of rendered) {
      for (const { pod } of podsOf(objects)) {
        for (const needed of neededBy(pod)) await ensure(needed, namespace);
        await take(title, pod);
      }
    }
    assert.ok(taken > 200, `${taken} objects`);
  });
});

/** What a definition defines. */
function served(definition: ApiObject): Pick<ApiObject, "kind" | "apiVersion"> {
  const version = textAt(definition, "spec.versions.0.name");
  return { kind: textAt(definition, "spec.names.kind"), apiVersion: `${textAt(definition, "spec.group")}/${version}` };
}

/** What admission looks for before it takes a pod. */
function neededBy(pod: ApiObject): readonly ApiObject[] {
  const account = textAt(pod, "spec.serviceAccountName") || "default";
  const priority = textAt(pod, "spec.priorityClassName");
  const priorityClass = {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: priority },
    value: 1,
  };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account } },
    ...(priority === "" ? [] : [priorityClass]),
  ];
}

const kept: readonly Omit<Collection, "namespace">[] = [
  { group: "apps", version: "v1", resource: "deployments" },
  { group: "apps", version: "v1", resource: "statefulsets" },
  { group: "batch", version: "v1", resource: "jobs" },
  { group: "batch", version: "v1", resource: "cronjobs" },
  { group: "", version: "v1", resource: "services" },
  { group: "", version: "v1", resource: "configmaps" },
  { group: "", version: "v1", resource: "serviceaccounts" },
  { group: "policy", version: "v1", resource: "poddisruptionbudgets" },
  { group: "networking.k8s.io", version: "v1", resource: "networkpolicies" },
  { group: "rbac.authorization.k8s.io", version: "v1", resource: "roles" },
];

describe("a release", () => {
  for (const major of helmMajors) {
    test(`is installed, upgraded, rolled back, tested and taken away by Helm ${major}`, async (t) => {
      if (!available(t)) return;
      const namespace = `release-${major}`;
      await restrictedNamespace(namespace);
      const helm = helmOf(major);
      const runner = runJobs({ target, client, namespace, folder });
      t.after(() => runner.stop());
      const release = ["--namespace", namespace, "--timeout=60s"];
      const secrets = { group: "", version: "v1", resource: "secrets", namespace };
      const deployments = { group: "apps", version: "v1", resource: "deployments", namespace };
      const replicas = async () => valueAt(await client.get(deployments, "orch-gateway"), "spec.replicas");
      const made = { labelSelector: "app.kubernetes.io/component=certificates" };

      assert.match(await helm(["install", "orch", chart, ...release]), /STATUS: deployed[\s\S]*orch-client-admin/);
      const before = (await client.list(secrets, made)).items;
      assert.equal(before.length, 21, runner.printed.join("\n"));
      assert.equal(await replicas(), 2);

      const audited = '--set-json=audit.policy={"kind":"Policy"}';
      await helm(["upgrade", "orch", chart, ...release, "--set=gateway.replicas=3,audit.enabled=true", audited]);
      assert.equal(await replicas(), 3);
      await client.get({ ...deployments, resource: "statefulsets" }, "orch-audit");
      assert.match(runner.printed.at(-1) ?? "", /^21 bundles, 0 of them written$/m);
      assert.deepEqual(
        (await client.list(secrets, made)).items,
        before,
        "an upgrade leaves certificates that are good",
      );

      await helm(["rollback", "orch", "1", ...release]);
      assert.equal(await replicas(), 2);
      await assert.rejects(client.get({ ...deployments, resource: "statefulsets" }, "orch-audit"), /not found/);
      // Helm 4 waits in vain for what it has deleted and was not there, up to its timeout: 4.2 does so for each hook.
      const patience = major === 4 ? ["--timeout=10s"] : [];
      assert.match(await helm(["test", "orch", ...release, ...patience]), /Phase: +Succeeded/);
      assert.equal(
        JSON.parse((await helm.exit(["history", "orch", ...release.slice(0, 2), "--output=json"])).output).length,
        3,
      );

      await helm(["uninstall", "orch", ...release]);
      const labelSelector = "app.kubernetes.io/instance=orch";
      for (const collection of kept) {
        const { items } = await client.list({ ...collection, namespace }, { labelSelector });
        const names = items.map(({ metadata }) => metadata.name).filter((name) => name !== "orch-test");
        assert.deepEqual(names, [], collection.resource);
      }
      assert.equal((await client.list(secrets, made)).items.length, 21, "what they signed stays good");
    });
  }
});
