import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregatedRules, sameRules } from "@orch/api/kinds/rbac/aggregation.js";
import { autoUpdateKey, bootstrapPolicy } from "@orch/api/kinds/rbac/bootstrap/policy.js";
import type { ClusterRole } from "@orch/api/kinds/rbac/types.js";
import type { AnyObject } from "@orch/api/object.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { type Bed, openBed, type Subject } from "../testing/bed.js";

const folders = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] as const;
type Folder = (typeof folders)[number];

/** What is stored, by name. */
async function stored({ store, naming }: Bed, folder: Folder): Promise<ReadonlyMap<string | undefined, AnyObject>> {
  const { entries } = await store.range({ prefix: key(`${naming.storePrefix}${folder}/`) });
  const objects: readonly AnyObject[] = entries.map(({ value }) => JSON.parse(value.toString()));
  return new Map(objects.map((object) => [object.metadata.name, object]));
}

/** The revision that wrote each of the objects of the policy last. */
async function revisions({ store, naming }: Bed): Promise<ReadonlyMap<string, number>> {
  const ranges = folders.map((folder) => store.range({ prefix: key(`${naming.storePrefix}${folder}/`) }));
  return new Map((await Promise.all(ranges)).flatMap(({ entries }) => entries.map((e) => [e.key, e.revision])));
}

function requestsOf({ naming }: Bed, { write }: Subject) {
  const at = { group: naming.group("rbac.authorization"), version: "v1" };
  return {
    update: (folder: Folder, object: AnyObject) => {
      const { name = "", namespace = "" } = object.metadata;
      return write({ ...at, resource: folder, verb: "update", name, namespace }, object);
    },
    create: (folder: Folder, object: object) => write({ ...at, resource: folder, namespace: "" }, object),
    remove: (folder: Folder, name: string) => write({ ...at, resource: folder, verb: "delete", name, namespace: "" }),
  };
}

async function found(bed: Bed, folder: Folder, name: string): Promise<AnyObject> {
  const object = (await stored(bed, folder)).get(name);
  assert.ok(object !== undefined, `no ${name}`);
  return object;
}

const rulesOf = (role: ClusterRole) => role.rules ?? [];

test("a service that has started has every role and binding, those made of others with their rules", async (t) => {
  const bed = await openBed(t, "kubernetes");
  await bed.start();
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy(bed.naming);
  const wanted = clusterRoles.length + clusterRoleBindings.length + roles.length + roleBindings.length;
  assert.equal((await revisions(bed)).size, wanted);
  const there = await stored(bed, "clusterroles");
  for (const role of clusterRoles) {
    const { metadata, ...rest } = there.get(role.metadata.name) ?? { metadata: {} };
    const is: ClusterRole = { metadata, ...rest };
    assert.deepEqual(metadata.labels, role.metadata.labels);
    assert.deepEqual(metadata.annotations, role.metadata.annotations);
    assert.ok(sameRules(rulesOf(is), aggregatedRules(role, there.values()) ?? rulesOf(role)), role.metadata.name);
  }
  const admin: ClusterRole = await found(bed, "clusterroles", "admin");
  assert.equal(rulesOf(admin).length, 25);
});

test("a second start writes nothing", async (t) => {
  const bed = await openBed(t, "orch");
  await bed.start();
  const before = await revisions(bed);
  await bed.start();
  assert.deepEqual(await revisions(bed), before);
});

test("two services that start at once both are ready, and make everything once", async (t) => {
  const bed = await openBed(t, "orch");
  await Promise.all([bed.start(), bed.start()]);
  assert.equal((await revisions(bed)).size, 127);
});

test("what users have taken away is there again after a start, and what they have added stays", async (t) => {
  const bed = await openBed(t, "orch");
  const requests = requestsOf(bed, await bed.start());
  const more = { verbs: ["get"], apiGroups: ["example.com"], resources: ["things"] };
  const view = await found(bed, "clusterroles", "system:aggregate-to-view");
  await requests.update("clusterroles", { ...view, rules: [more] });
  await requests.update("clusterroles", { ...(await found(bed, "clusterroles", "view")), rules: [] });
  await requests.remove("clusterroles", "edit");
  await requests.remove("clusterrolebindings", "cluster-admin");
  await bed.start();
  const there = await stored(bed, "clusterroles");
  for (const name of ["system:aggregate-to-view", "view", "edit", "admin"]) {
    const role: ClusterRole = there.get(name) ?? { metadata: {} };
    const resources = rulesOf(role).flatMap((rule) => rule.resources ?? []);
    assert.ok(resources.includes("things") && resources.includes("configmaps"), name);
  }
  await found(bed, "clusterrolebindings", "cluster-admin");
});

test("what users keep themselves stays as it is, also in what is made of it", async (t) => {
  const bed = await openBed(t, "orch");
  const requests = requestsOf(bed, await bed.start());
  const view = await found(bed, "clusterroles", "system:aggregate-to-view");
  const own = { ...view.metadata, annotations: { [autoUpdateKey(bed.naming)]: "false" } };
  await requests.update("clusterroles", { ...view, metadata: own, rules: [] });
  await requests.update("clusterroles", { ...(await found(bed, "clusterroles", "view")), rules: [] });
  const before = await revisions(bed);
  await bed.start();
  assert.deepEqual(await revisions(bed), before);
});

test("a binding that gives another role is made anew", async (t) => {
  const bed = await openBed(t, "orch");
  const requests = requestsOf(bed, await bed.start());
  const { metadata, ...binding } = await found(bed, "clusterrolebindings", "system:discovery");
  await requests.remove("clusterrolebindings", "system:discovery");
  const roleRef = { ...Object(binding["roleRef"]), name: "cluster-admin" };
  await requests.create("clusterrolebindings", { metadata: { name: "system:discovery" }, subjects: [], roleRef });
  await bed.start();
  const again = await found(bed, "clusterrolebindings", "system:discovery");
  assert.deepEqual(
    { roleRef: again["roleRef"], subjects: again["subjects"] },
    { roleRef: binding["roleRef"], subjects: binding["subjects"] },
  );
  assert.deepEqual(again.metadata.labels, metadata.labels);
});

/** A store whose first write of a key fails. */
function failingOnce(store: Store, end: string): Store {
  let failed = false;
  return {
    ...store,
    swap: (change) => {
      if (failed || !change.key.endsWith(end)) return store.swap(change);
      failed = true;
      return Promise.reject(new Error("the medium is away"));
    },
  };
}

test("one that cannot be made holds up no other, and is tried again until it is there", async (t) => {
  const bed = await openBed(t, "orch");
  // What waits for the next try does not keep a process alive.
  const alive = setTimeout(() => {}, 60_000);
  t.after(() => clearTimeout(alive));
  const told: string[] = [];
  let then: ReadonlyMap<string, number> = new Map();
  const log = async (what: string): Promise<void> => {
    told.push(what);
    then = await revisions(bed);
  };
  await bed.start({ store: failingOnce(bed.store, "/clusterroles/system:node"), log });
  assert.deepEqual(told, ["creating the system's roles and bindings failed; trying again"]);
  assert.equal(then.size, 126);
  assert.equal((await revisions(bed)).size, 127);
});
