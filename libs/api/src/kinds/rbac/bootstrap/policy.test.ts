import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { loadCatalog } from "../../../catalog.js";
import { createKindKit, type Tree } from "../../../testing/kind-kit.js";
import { aggregatedRules } from "../aggregation.js";
import type { Binding, ClusterRole } from "../types.js";
import { autoUpdateKey, bootstrapPolicy } from "./policy.js";

const idOf = ({ metadata }: { readonly metadata: ClusterRole["metadata"] }): string =>
  metadata.namespace === undefined ? (metadata.name ?? "") : `${metadata.namespace}/${metadata.name}`;

const partsOf = ({ rules = [], subjects = [], roleRef, aggregationRule }: Tree): Tree => ({
  ...{ rules, subjects, roleRef, aggregationRule },
});

for (const dialect of dialects) {
  const naming = createNaming(dialect);
  const policy = bootstrapPolicy(naming);
  const kinds = [
    ["ClusterRole", policy.clusterRoles],
    ["ClusterRoleBinding", policy.clusterRoleBindings],
    ["Role", policy.roles],
    ["RoleBinding", policy.roleBindings],
  ] as const;

  test(`${dialect}: there are as many objects as the reference makes, and the roles of two controllers of our own`, () => {
    assert.deepEqual(
      kinds.map(([, objects]) => objects.length),
      [64 + 2, 45 + 2, 7, 7],
    );
  });

  test(`${dialect}: names are unique, every object says that the server keeps it`, () => {
    for (const [kind, objects] of kinds) {
      assert.equal(new Set(objects.map(idOf)).size, objects.length, kind);
      for (const { metadata } of objects) {
        assert.equal(metadata.labels?.[naming.key("bootstrapping")], "rbac-defaults", metadata.name);
        assert.deepEqual(metadata.annotations, { [autoUpdateKey(naming)]: "true" }, metadata.name);
      }
    }
  });

  test(`${dialect}: every binding's role is there`, () => {
    const clusterRoles = new Set(policy.clusterRoles.map(idOf));
    const roles = new Set(policy.roles.map(idOf));
    const dangling = ({ metadata, roleRef }: Binding): boolean =>
      roleRef?.kind === "ClusterRole"
        ? !clusterRoles.has(roleRef.name ?? "")
        : !roles.has(`${metadata.namespace}/${roleRef?.name}`);
    assert.deepEqual([...policy.clusterRoleBindings, ...policy.roleBindings].filter(dangling).map(idOf), []);
  });

  test(`${dialect}: every object is valid by its kind's own rules, as it stands`, () => {
    const kit = createKindKit(loadCatalog(naming));
    for (const [kind, objects] of kinds) {
      const name = `${naming.group("rbac.authorization")}/v1.${kind}`;
      for (const object of objects) {
        assert.deepEqual(kit.createErrors(name, { ...object }), [], idOf(object));
        // What a default would change would be changed back at every start.
        assert.deepEqual(partsOf(kit.created(name, { ...object })), partsOf({ ...object }), idOf(object));
      }
    }
  });

  test(`${dialect}: only who may do everything has a wildcard of verbs, and only few see secrets`, () => {
    const wild = policy.clusterRoles.filter(({ rules = [] }) => rules.some(({ verbs }) => verbs?.includes("*")));
    assert.deepEqual(wild.map(idOf).sort(), ["cluster-admin", "system:kubelet-api-admin"]);
    const view = policy.clusterRoles.find((role) => idOf(role) === "view");
    assert.ok(view !== undefined);
    const seen = (aggregatedRules(view, policy.clusterRoles) ?? []).flatMap(({ resources = [] }) => resources);
    assert.ok(seen.includes("configmaps") && !seen.includes("secrets"));
  });

  test(`${dialect}: who edits may do more than who views, and who administers more than who edits`, () => {
    const sizes = ["view", "edit", "admin"].map((name) => sizeOf(name, policy.clusterRoles));
    assert.deepEqual(sizes, [10, 23, 25]);
  });
}

/** Rules of a role, with those that come by the roles that it is made of. */
function sizeOf(name: string, roles: readonly ClusterRole[]): number {
  const byName = new Map(roles.map((role) => [idOf(role), role]));
  for (const made of ["view", "edit", "admin"]) {
    const role = byName.get(made) ?? { metadata: {} };
    byName.set(made, { ...role, rules: aggregatedRules(role, byName.values()) ?? [] });
  }
  return byName.get(name)?.rules?.length ?? 0;
}

test("the words of the policy are the dialect's", () => {
  const names = (dialect: "orch" | "kubernetes"): ReadonlySet<string> => {
    const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy(createNaming(dialect));
    return new Set([...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings].map(idOf));
  };
  const rows = [
    ["system:orch-scheduler", "system:kube-scheduler"],
    ["system:orch-aggregator", "system:kube-aggregator"],
    ["system:certificates.orch:legacy-unknown-approver", "system:certificates.k8s.io:legacy-unknown-approver"],
    ["orch-system/system::leader-locking-orch-scheduler", "kube-system/system::leader-locking-kube-scheduler"],
    ["orch-public/system:controller:bootstrap-signer", "kube-public/system:controller:bootstrap-signer"],
    ["system:controller:namespace-controller", "system:controller:namespace-controller"],
  ] as const;
  const [orch, kubernetes] = [names("orch"), names("kubernetes")];
  for (const [ours, theirs] of rows) {
    assert.ok(orch.has(ours), ours);
    assert.ok(kubernetes.has(theirs), theirs);
  }
});

test("labels of aggregation have the group's name, the annotation the domain of keys", () => {
  const { clusterRoles } = bootstrapPolicy(createNaming("kubernetes"));
  assert.deepEqual(clusterRoles.find((role) => idOf(role) === "edit")?.metadata, {
    name: "edit",
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", "rbac.authorization.k8s.io/aggregate-to-admin": "true" },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  });
});

test("the scheduler may give claims their devices where the gate is on, and only there", () => {
  const ofScheduler = (claimsDevices: boolean): string => {
    const { clusterRoles } = bootstrapPolicy(createNaming("orch"), { claimsDevices });
    return JSON.stringify(clusterRoles.find((role) => idOf(role) === "system:orch-scheduler")?.rules);
  };
  assert.ok(!ofScheduler(false).includes("resourceclaims"));
  assert.ok(ofScheduler(true).includes("resourceclaims/status"));
});
