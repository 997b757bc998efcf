import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventsIn, type LoggedEvent, writePolicy } from "./audit-bed.js";
import { type Credentials, connect, type Http } from "./harness/http.js";
import { freshMaps } from "./harness/manifests.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

// Controllers inside standalone reach its gateway without a network, and pass every stage that others pass.

const collector = "system:serviceaccount:kube-system:generic-garbage-collector";
const binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:controller:generic-garbage-collector";

let folder: string;
let log: string;
let target: StandaloneTarget;
let http: Http;

before(async () => {
  folder = await newFolder();
  log = join(folder, "audit.log");
  const policy = await writePolicy(folder, [{ level: "Metadata", omitStages: ["RequestReceived"] }]);
  target = await startStandalone({ args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`] });
  http = connect(target);
});
after(async () => {
  http?.close();
  await target?.stop();
  await removeFolder(folder);
});

/** An owner that is gone, and its dependent. */
async function orphan() {
  const maps = await freshMaps(http);
  const owner = await maps.create("owner");
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid };
  await http.post(maps.path(), { metadata: { name: "child", ownerReferences: [reference] } });
  await maps.remove("owner");
  const path = maps.path("child");
  return {
    isThere: async () => (await http.get(path)).status === 200,
    /** What the collector's attempts to delete it were answered. */
    async attempts(): Promise<readonly LoggedEvent[]> {
      const events = await eventsIn(log);
      return events.filter(({ verb, requestURI }) => verb === "delete" && requestURI.startsWith(path));
    },
  };
}

test("what a controller does is audited as what a client of the network does", async () => {
  const { attempts } = await orphan();
  const event = await until("the dependent is collected", async () => (await attempts())[0]);
  assert.deepEqual(event.user, {
    username: collector,
    groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
  });
  assert.deepEqual([event.sourceIPs, event.userAgent], [["127.0.0.1"], "kube-controller-manager"]);
  assert.deepEqual([event.stage, event.responseStatus?.code], ["ResponseComplete", 200]);
  assert.match(event.annotations?.["authorization.k8s.io/reason"] ?? "", /system:controller:generic-garbage-collector/);
});

test("controllers read as the process that they are in", async () => {
  const watching = await until("a watch of namespaces", async () =>
    (await eventsIn(log)).find(
      ({ verb, requestURI }) => verb === "watch" && requestURI.startsWith("/api/v1/namespaces?"),
    ),
  );
  assert.equal(watching.user.username, "system:kube-controller-manager");
});

test("a right that is taken away is refused to a controller, and given back it is used", async () => {
  const { roleRef, subjects, metadata } = (await http.get(binding)).object();
  assert.equal((await http.call({ method: "DELETE", path: binding })).status, 200);
  // Who decides hears of it a moment later.
  const as: Credentials = { type: "user", name: collector };
  await until("the right is gone", async () => {
    const path = "/api/v1/namespaces/default/configmaps/none";
    return (await http.call({ method: "DELETE", path, as })).status === 403 ? true : undefined;
  });
  const { isThere, attempts } = await orphan();
  const refused = await until("the collector is refused", async () =>
    (await eventsIn(log)).find(
      ({ user, responseStatus }) => user.username === collector && responseStatus?.code === 403,
    ),
  );
  assert.equal(refused.annotations?.["authorization.k8s.io/decision"], "forbid");
  assert.equal(await isThere(), true);
  const { name } = metadata;
  const path = binding.slice(0, binding.lastIndexOf("/"));
  assert.equal((await http.post(path, { metadata: { name }, roleRef, subjects })).status, 201);
  await until("the dependent is collected", async () => ((await isThere()) ? undefined : true));
  // An event is written after the answer.
  const done = await until("its deletion is audited", async () => {
    const codes = (await attempts()).map(({ responseStatus }) => responseStatus?.code);
    const others = codes.filter((code) => code !== 403);
    return others.length > 0 ? others : undefined;
  });
  assert.deepEqual(done, [200]);
});
