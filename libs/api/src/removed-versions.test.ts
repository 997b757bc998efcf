import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type Catalog, loadCatalog } from "./catalog.js";

/** Spec 1, "Removed API versions by release": release, kinds, removed versions, what to use and since when. */
const rows: readonly (readonly [string, string, string, readonly (readonly [string, string])[]])[] = [
  [
    "1.32",
    "FlowSchema PriorityLevelConfiguration",
    "flowcontrol.apiserver.orch/v1beta3",
    [["flowcontrol.apiserver.orch/v1", "1.29"]],
  ],
  [
    "1.29",
    "FlowSchema PriorityLevelConfiguration",
    "flowcontrol.apiserver.orch/v1beta2",
    [
      ["flowcontrol.apiserver.orch/v1", "1.29"],
      ["flowcontrol.apiserver.orch/v1beta3", "1.26"],
    ],
  ],
  ["1.27", "CSIStorageCapacity", "storage.orch/v1beta1", [["storage.orch/v1", "1.24"]]],
  [
    "1.26",
    "FlowSchema PriorityLevelConfiguration",
    "flowcontrol.apiserver.orch/v1beta1",
    [["flowcontrol.apiserver.orch/v1beta2", "1.23"]],
  ],
  ["1.26", "HorizontalPodAutoscaler", "autoscaling/v2beta2", [["autoscaling/v2", "1.23"]]],
  ["1.25", "CronJob", "batch/v1beta1", [["batch/v1", "1.21"]]],
  ["1.25", "EndpointSlice", "discovery.orch/v1beta1", [["discovery.orch/v1", "1.21"]]],
  ["1.25", "Event", "events.orch/v1beta1", [["events.orch/v1", "1.19"]]],
  ["1.25", "HorizontalPodAutoscaler", "autoscaling/v2beta1", [["autoscaling/v2", "1.23"]]],
  ["1.25", "PodDisruptionBudget", "policy/v1beta1", [["policy/v1", "1.21"]]],
  ["1.25", "PodSecurityPolicy", "policy/v1beta1", []],
  ["1.25", "RuntimeClass", "node.orch/v1beta1", [["node.orch/v1", "1.20"]]],
  [
    "1.22",
    "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "admissionregistration.orch/v1beta1",
    [["admissionregistration.orch/v1", "1.16"]],
  ],
  ["1.22", "CustomResourceDefinition", "apiextensions.orch/v1beta1", [["apiextensions.orch/v1", "1.16"]]],
  ["1.22", "APIService", "apiregistration.orch/v1beta1", [["apiregistration.orch/v1", "1.10"]]],
  ["1.22", "TokenReview", "authentication.orch/v1beta1", [["authentication.orch/v1", "1.6"]]],
  [
    "1.22",
    "LocalSubjectAccessReview SelfSubjectAccessReview SubjectAccessReview SelfSubjectRulesReview",
    "authorization.orch/v1beta1",
    [["authorization.orch/v1", "1.6"]],
  ],
  ["1.22", "CertificateSigningRequest", "certificates.orch/v1beta1", [["certificates.orch/v1", "1.19"]]],
  ["1.22", "Lease", "coordination.orch/v1beta1", [["coordination.orch/v1", "1.14"]]],
  ["1.22", "Ingress", "extensions/v1beta1 networking.orch/v1beta1", [["networking.orch/v1", "1.19"]]],
  ["1.22", "IngressClass", "networking.orch/v1beta1", [["networking.orch/v1", "1.19"]]],
  [
    "1.22",
    "ClusterRole ClusterRoleBinding Role RoleBinding",
    "rbac.authorization.orch/v1beta1",
    [["rbac.authorization.orch/v1", "1.8"]],
  ],
  ["1.22", "PriorityClass", "scheduling.orch/v1beta1", [["scheduling.orch/v1", "1.14"]]],
  ["1.22", "CSIDriver", "storage.orch/v1beta1", [["storage.orch/v1", "1.19"]]],
  ["1.22", "CSINode", "storage.orch/v1beta1", [["storage.orch/v1", "1.17"]]],
  ["1.22", "StorageClass", "storage.orch/v1beta1", [["storage.orch/v1", "1.6"]]],
  ["1.22", "VolumeAttachment", "storage.orch/v1beta1", [["storage.orch/v1", "1.13"]]],
  ["1.16", "NetworkPolicy", "extensions/v1beta1", [["networking.orch/v1", "1.8"]]],
  ["1.16", "DaemonSet", "extensions/v1beta1 apps/v1beta2", [["apps/v1", "1.9"]]],
  ["1.16", "Deployment", "extensions/v1beta1 apps/v1beta1 apps/v1beta2", [["apps/v1", "1.9"]]],
  ["1.16", "StatefulSet", "apps/v1beta1 apps/v1beta2", [["apps/v1", "1.9"]]],
  ["1.16", "ReplicaSet", "extensions/v1beta1 apps/v1beta2", [["apps/v1", "1.9"]]],
  ["1.16", "PodSecurityPolicy", "extensions/v1beta1", [["policy/v1beta1", "1.10"]]],
];

const naming = createNaming("orch");
const catalogs = new Map<string, Catalog>();

function at(release: string): Catalog {
  const known = catalogs.get(release) ?? loadCatalog(naming, { release });
  catalogs.set(release, known);
  return known;
}

const minorOf = (release: string): number => Number(release.split(".")[1]);
const before = (release: string): string => `1.${minorOf(release) - 1}`;

for (const [release, kinds, removed, uses] of rows) {
  for (const kind of kinds.split(" ")) {
    for (const version of removed.split(" ")) {
      test(`${version} ${kind} is gone in ${release} and its objects stay readable`, () => {
        const last = at(before(release)).kind(version, kind);
        const gone = at(release).kind(version, kind);
        assert.ok(last !== undefined && gone !== undefined);
        assert.equal(gone.served, false);
        assert.equal(last.served, true, "its users are warned at the release before");
        assert.equal(gone.release.removed, release);
        assert.equal(at("1.32").kind(gone.hub.apiVersion, kind), at("1.32").kind(version, kind)?.hub);
      });
    }
    for (const [version, since] of uses) {
      test(`${version} ${kind} is there since ${since}`, () => {
        assert.equal(at("1.32").kind(version, kind)?.release.introduced, since);
        if (minorOf(since) <= 16) return;
        assert.equal(at(since).kind(version, kind)?.served, true);
        assert.equal(at(before(since)).kind(version, kind)?.served, false);
      });
    }
  }
}
