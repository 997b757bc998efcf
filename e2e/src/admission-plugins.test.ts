import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { kubectlMissing, runKubectl } from "./harness/kubectl.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** Plugins that usually do not run, and those that do, as people meet them with kubectl. */
const enabled = [
  ...["AlwaysPullImages", "NamespaceAutoProvision", "NamespaceExists", "DenyServiceExternalIPs"],
  ...["ExtendedResourceToleration", "OwnerReferencesPermissionEnforcement", "PodNodeSelector"],
  ...["PodTolerationRestriction", "LimitPodHardAntiAffinityTopology"],
];
let folder: string;
let target: StandaloneTarget;
let missing: string | undefined;

before(async () => {
  missing = await kubectlMissing();
  if (missing !== undefined) return;
  folder = await mkdtemp(join(tmpdir(), "orch-plugins-"));
  const args = [`--enable-admission-plugins=${enabled.join(",")}`];
  target = await startStandalone({ dialect: "kubernetes", args });
});
after(async () => {
  if (missing !== undefined) return;
  await target.stop();
  await rm(folder, { recursive: true, force: true });
});

type Words = (args: string, code?: number) => Promise<string>;

/** undefined, and the test skipped, where there is none. */
function inNamespace(t: TestContext, namespace: string): Words | undefined {
  if (missing !== undefined) {
    t.skip(missing);
    return undefined;
  }
  const run = runKubectl({ target, folder, namespace });
  return (args, code) => run(args.split(" "), code);
}

describe("admission plugins", { concurrency: 2 }, () => {
  test("a namespace is made for what is created in it, and images are always pulled", async (t) => {
    const kubectl = inNamespace(t, "provisioned");
    if (kubectl === undefined) return;
    await kubectl("create configmap a");
    assert.match(await kubectl("get namespace provisioned --output=name"), /^namespace\/provisioned/);
    // The account of the namespace is made by a controller.
    await until("the account is there", async () =>
      (await kubectl("get serviceaccounts --output=name")).includes("default") ? true : undefined,
    );
    await kubectl("run p --image=i --image-pull-policy=Never");
    assert.equal(await kubectl("get pod p --output=jsonpath={.spec.containers[0].imagePullPolicy}"), "Always");
  });

  test("a quota tells how much is used, and refuses more", async (t) => {
    const kubectl = inNamespace(t, "limited");
    if (kubectl === undefined) return;
    await kubectl("create quota q --hard=count/secrets=1,services=5");
    await until("the quota is counted", async () =>
      /count\/secrets\s+0\s+1/.test(await kubectl("describe quota q")) ? true : undefined,
    );
    await kubectl("create secret generic one");
    const refused = await kubectl("create secret generic two", 1);
    const text = "exceeded quota: q, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1";
    assert.ok(refused.includes(`secrets "two" is forbidden: ${text}`), refused);
    assert.match(await kubectl("describe quota q"), /count\/secrets\s+1\s+1/);
    await kubectl("delete secret one");
    await until("it is free again", async () =>
      /count\/secrets\s+0\s+1/.test(await kubectl("describe quota q")) ? true : undefined,
    );
    await kubectl("create secret generic two");
  });

  test("labels of a namespace hold its pods to a standard", async (t) => {
    const kubectl = inNamespace(t, "held");
    if (kubectl === undefined) return;
    await kubectl("create namespace held");
    await until("the account is there", async () =>
      (await kubectl("get serviceaccounts --output=name")).includes("default") ? true : undefined,
    );
    await kubectl("run p --image=i --privileged");
    const label = "label namespace held pod-security.kubernetes.io/enforce";
    const wrong = await kubectl(`${label}=nope`, 1);
    assert.match(wrong, /must be one of privileged, baseline, restricted/);
    const warned = await kubectl(`${label}=baseline`);
    assert.match(warned, /Warning: existing pods in namespace "held" violate the new PodSecurity enforce level/);
    assert.match(warned, /Warning: p: privileged/);
    await until("the label holds", async () => {
      const refused = await kubectl("run q --image=i --privileged --dry-run=server", 1).catch(() => "");
      return (
        refused.includes('violates PodSecurity "baseline:latest": privileged (container "q" must not set') || undefined
      );
    });
    await kubectl("run r --image=i");
  });

  test("a service takes no address of others", async (t) => {
    const kubectl = inNamespace(t, "default");
    if (kubectl === undefined) return;
    await kubectl("create service clusterip s --tcp=80");
    const patch = `patch service s --type=merge --patch={"spec":{"externalIPs":["1.2.3.4"]}}`;
    assert.match(await kubectl(patch, 1), /Use of external IPs is denied by admission control/);
  });
});
