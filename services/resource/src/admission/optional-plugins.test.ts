import assert from "node:assert/strict";
import { test } from "node:test";
import { authorityCertificate } from "@orch/api/testing/certificates.js";
import { alwaysAllow } from "@orch/auth/fixed-authorizers.js";
import type { Permissions } from "@orch/auth/rules.js";
import { admitted, clusterWide, podOf, podsOf } from "../testing/admitted.js";

const namespaces = { resource: "namespaces", namespace: "" } as const;

/** Who may do everything but what these words, `verb group/resource/subresource name`, say. */
function unless(...denied: readonly string[]): Permissions {
  return {
    rules: alwaysAllow,
    authorizer: {
      authorize(attributes) {
        if (attributes.kind !== "resource") return { outcome: "allow", reason: "" };
        const { verb, group, resource, subresource, name } = attributes;
        const asked = `${verb} ${group}/${resource}/${subresource} ${name}`;
        return denied.includes(asked) ? { outcome: "noOpinion", reason: "no" } : { outcome: "allow", reason: "" };
      },
    },
  };
}

test("NamespaceAutoProvision: a namespace is made for what is created in it, of a dry run it is not", async (t) => {
  const { says, make } = await admitted(t, { enabled: ["NamespaceAutoProvision"] });
  const tried = { namespace: "tried", options: { dryRun: "All" } };
  assert.equal(await says(tried, { metadata: { name: "a" } }), '404 namespaces "tried" not found');
  const all = Array.from({ length: 5 }, (_, i) => says({ namespace: "made" }, { metadata: { name: `c${i}` } }));
  assert.deepEqual(
    await Promise.all(all),
    Array.from({ length: 5 }, () => "ok"),
  );
  const patch = { verb: "patch", name: "made", contentType: "application/merge-patch+json" } as const;
  assert.equal((await make({ ...namespaces, ...patch }, {})).metadata.name, "made");
  assert.match(await says({ namespace: "A_b" }, { metadata: { name: "a" } }), /^422 Namespace "A_b" is invalid/);
});

test("NamespaceExists: what lies in a namespace that is gone can not be changed", async (t) => {
  const first = await admitted(t, { disabled: ["NamespaceLifecycle"] });
  await first.make({ namespace: "gone" }, { metadata: { name: "a" } });
  const { says } = await first.again({ enabled: ["NamespaceExists"] });
  const missing = '404 namespaces "gone" not found';
  const place = { namespace: "gone", name: "a" };
  assert.equal(await says({ namespace: "gone" }, { metadata: { name: "b" } }), missing);
  assert.equal(await says({ ...place, verb: "update" }, { metadata: { name: "a" }, data: { k: "v" } }), missing);
  assert.equal(await says({ ...place, verb: "delete" }), missing);
  assert.equal(await says({}, { metadata: { name: "a" } }), "ok");
});

test("DenyServiceExternalIPs: no address of others is added, those that are there may go", async (t) => {
  const first = await admitted(t);
  const services = { resource: "services" } as const;
  const service = (name: string, ...externalIPs: string[]) => ({
    metadata: { name },
    spec: { ports: [{ port: 1 }], externalIPs },
  });
  await first.make(services, service("a", "1.2.3.4", "1.2.3.5"));
  const { says } = await first.again({ enabled: ["DenyServiceExternalIPs"] });
  const why = "Use of external IPs is denied by admission control";
  assert.equal(await says(services, service("b", "1.2.3.4")), `403 services "b" is forbidden: ${why}`);
  const patch = { ...services, verb: "patch", name: "a", contentType: "application/merge-patch+json" } as const;
  assert.equal(
    await says(patch, { spec: { externalIPs: ["1.2.3.4", "9.9.9.9"] } }),
    `403 services "a" is forbidden: ${why}`,
  );
  assert.equal(await says(patch, { spec: { externalIPs: ["1.2.3.4"] } }), "ok");
});

test("AlwaysDeny: nothing is written, tried or deleted; AlwaysAdmit changes nothing", async (t) => {
  const { says } = await admitted(t, { enabled: ["AlwaysDeny", "AlwaysAdmit"] });
  const why = "admission control is denying all modifications";
  assert.equal(await says({}, { metadata: { name: "a" } }), `403 configmaps "a" is forbidden: ${why}`);
  assert.equal(
    await says(podsOf, podOf("a", { containers: [] })),
    `403 pods "a" is forbidden: ${why}`,
    "before what is invalid",
  );
  const kept = { ...namespaces, verb: "delete", name: "kube-public" } as const;
  assert.match(await says(kept), /^403 namespaces "kube-public" is forbidden: /);
});

const owner = (more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u", ...more });
const owned = (...ownerReferences: object[]) => ({ metadata: { name: "a", ownerReferences } });
const patch = { verb: "patch", name: "a", contentType: "application/merge-patch+json" } as const;
const enabled = ["OwnerReferencesPermissionEnforcement"];

test("OwnerReferencesPermissionEnforcement: who changes owners must be allowed to delete", async (t) => {
  const { says } = await admitted(t, { enabled, permissions: unless("delete /configmaps/ a") });
  assert.equal(await says({}, owned(owner())), "ok", "a new object");
  assert.equal(await says(patch, { metadata: { labels: { a: "b" } } }), "ok", "another change");
  const why = "cannot set an ownerRef on a resource you can't delete: no, <nil>";
  const change = { metadata: { ownerReferences: [owner({ uid: "v" })] } };
  assert.equal(await says(patch, change), `403 configmaps "a" is forbidden: ${why}`);
});

test("OwnerReferencesPermissionEnforcement: who keeps an owner must be allowed to change its finalizers", async (t) => {
  const permissions = unless("update */*/finalizers *", "update /configmaps/finalizers o");
  const { says, again } = await admitted(t, { enabled, permissions });
  const blocking = { blockOwnerDeletion: true };
  const why =
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no, <nil>";
  const refused = (text: string): string => `403 configmaps "a" is forbidden: ${text}`;
  assert.equal(await says({}, owned(owner(blocking))), refused(why));
  const unknown = owned(owner({ ...blocking, apiVersion: "x/v1", kind: "Nope" }));
  const unmapped =
    "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion x/v1 Kind Nope";
  assert.equal(await says({}, unknown), refused(`${unmapped}: no matches for kind "Nope" in version "x/v1"`));
  assert.equal(await says({}, owned(owner({ ...blocking, name: "other" }))), "ok");
  const boss = await again({ permissions: unless("update /configmaps/finalizers o") });
  assert.equal(await boss.says(patch, owned(owner(blocking))), "ok", "of everything's finalizers");
  const before = await again({ permissions });
  const more = { metadata: { ownerReferences: [owner(blocking), owner({ name: "p", uid: "w" })] } };
  assert.equal(await before.says(patch, more), "ok", "it was kept before");
});

test("ClusterTrustBundleAttest: who says which authorities a signer has must be allowed to", async (t) => {
  const denied = [
    "attest certificates.k8s.io/signers/ example.com/s",
    "attest certificates.k8s.io/signers/ example.com/*",
  ];
  const { says, again } = await admitted(t, { permissions: unless(...denied) });
  const place = { ...clusterWide("clustertrustbundles", "certificates.k8s.io"), version: "v1alpha1" };
  const bundle = {
    metadata: { name: "example.com:s:a" },
    spec: { signerName: "example.com/s", trustBundle: authorityCertificate },
  };
  const why = 'user not permitted to attest for signerName "example.com/s"';
  const refused = `403 clustertrustbundles.certificates.k8s.io "example.com:s:a" is forbidden: ${why}`;
  assert.equal(await says(place, bundle), refused);
  const boss = await again({ permissions: unless(denied[0] ?? "") });
  assert.equal(await boss.says(place, bundle), "ok");
  const labelled = { ...place, verb: "patch", name: "example.com:s:a", contentType: patch.contentType } as const;
  assert.equal(await says(labelled, { metadata: { labels: { a: "b" } } }), "ok");
});
