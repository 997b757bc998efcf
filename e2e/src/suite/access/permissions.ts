import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Call, Credentials, Http } from "../../harness/http.js";
import { assertFailure, done } from "../../harness/status.js";
import { until } from "../../harness/until.js";
import type { On } from "../scene.js";

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"] as const;
type Verb = (typeof verbs)[number];

/** A rule as its holder has it: in one namespace, or in the whole cluster. */
interface Grant {
  readonly where: "home" | "cluster";
  readonly verbs: readonly (Verb | "*")[];
  readonly resources: readonly string[];
  readonly names?: readonly string[];
}

/** What a request needs; it may need more than one right. */
interface Right {
  readonly verb: Verb;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

interface Attempt {
  readonly title: string;
  readonly call: Call;
  readonly needs: readonly Right[];
}

const holders: Readonly<Record<string, readonly Grant[]>> = {
  nobody: [],
  ...Object.fromEntries(
    verbs.map((verb) => [`home-${verb}`, [{ where: "home", verbs: [verb], resources: ["configmaps"] } as const]]),
  ),
  ...Object.fromEntries(
    verbs.map((verb) => [`cluster-${verb}`, [{ where: "cluster", verbs: [verb], resources: ["configmaps"] } as const]]),
  ),
  "home-everything": [{ where: "home", verbs: ["*"], resources: ["*"] }],
  "cluster-everything": [{ where: "cluster", verbs: ["*"], resources: ["*"] }],
  "home-writer": [{ where: "home", verbs: ["patch", "create"], resources: ["configmaps"] }],
  "one-name": [{ where: "home", verbs: ["get", "update", "patch", "delete"], resources: ["configmaps"], names: ["a"] }],
  "subresource-alone": [{ where: "home", verbs: ["get", "patch"], resources: ["deployments/scale"] }],
  "object-alone": [{ where: "home", verbs: ["get", "patch"], resources: ["deployments"] }],
  "every-scale": [{ where: "cluster", verbs: ["get"], resources: ["*/scale"] }],
  classes: [{ where: "cluster", verbs: ["get", "list"], resources: ["priorityclasses"] }],
};

/** The rules of RBAC, as plainly as they can be said. */
function may(grants: readonly Grant[], home: string, { verb, resource, namespace, name }: Right): boolean {
  return grants.some(
    (grant) =>
      (grant.where === "cluster" || namespace === home) &&
      (grant.verbs.includes("*") || grant.verbs.includes(verb)) &&
      (grant.resources.includes("*") ||
        grant.resources.includes(resource) ||
        (resource.includes("/") && grant.resources.includes(`*/${resource.split("/")[1]}`))) &&
      (grant.names === undefined || (name !== "" && grant.names.includes(name))),
  );
}

/** Requests of every verb, in a namespace and over all; those that would write are trials. */
function attempts(namespaces: readonly string[]): readonly Attempt[] {
  const dryRun = { dryRun: "All" };
  const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const apply = { "content-type": "application/apply-patch+yaml" };
  const merge = { "content-type": "application/merge-patch+json" };
  const scoped = namespaces.flatMap((namespace): Attempt[] => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const apps = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
    const right = (verb: Verb, name = "", resource = "configmaps"): Right => ({ verb, resource, namespace, name });
    const attempt = (title: string, needs: readonly Right[], call: Call): Attempt => ({
      title: `${title} in ${namespace}`,
      call,
      needs,
    });
    const watch = { watch: true, timeoutSeconds: 1, resourceVersion: "0" };
    const managed = { ...dryRun, fieldManager: "m" };
    return [
      attempt("get", [right("get", "a")], { path: `${path}/a` }),
      attempt("get another", [right("get", "b")], { path: `${path}/b` }),
      attempt("head", [right("get", "a")], { path: `${path}/a`, method: "HEAD" }),
      attempt("list", [right("list")], { path }),
      attempt("list selected", [right("list")], { path, query: { labelSelector: "a=b", limit: 1 } }),
      attempt("list of one name", [right("list", "a")], { path, query: { fieldSelector: "metadata.name=a" } }),
      attempt("watch", [right("watch")], { path, query: watch }),
      attempt("watch of one name", [right("watch", "a")], {
        path,
        query: { ...watch, fieldSelector: "metadata.name=a" },
      }),
      attempt("create", [right("create")], { method: "POST", path, query: dryRun, body: configMap("new") }),
      attempt("update", [right("update", "a")], {
        method: "PUT",
        path: `${path}/a`,
        query: dryRun,
        body: configMap("a"),
      }),
      attempt("patch", [right("patch", "a")], {
        ...{ method: "PATCH", path: `${path}/a`, query: dryRun },
        ...{ body: '{"data":{"k":"v"}}', headers: merge },
      }),
      attempt("apply to what is there", [right("patch", "a")], {
        ...{ method: "PATCH", path: `${path}/a`, query: managed },
        ...{ body: JSON.stringify(configMap("a")), headers: apply },
      }),
      attempt("apply of what is new", [right("patch", "new"), right("create", "new")], {
        ...{ method: "PATCH", path: `${path}/new`, query: managed },
        ...{ body: JSON.stringify(configMap("new")), headers: apply },
      }),
      attempt("delete", [right("delete", "a")], { method: "DELETE", path: `${path}/a`, query: dryRun }),
      attempt("deletecollection", [right("deletecollection")], { method: "DELETE", path, query: dryRun }),
      attempt("get of a subresource", [right("get", "d", "deployments/scale")], { path: `${apps}/scale` }),
      attempt("get of the object", [right("get", "d", "deployments")], { path: apps }),
    ];
  });
  const everywhere = (verb: Verb, resource: string): Right => ({ verb, resource, namespace: "", name: "" });
  const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  return [
    ...scoped,
    { title: "list everywhere", needs: [everywhere("list", "configmaps")], call: { path: "/api/v1/configmaps" } },
    {
      title: "watch everywhere",
      needs: [everywhere("watch", "configmaps")],
      call: { path: "/api/v1/configmaps", query: { watch: true, timeoutSeconds: 1, resourceVersion: "0" } },
    },
    { title: "list of the cluster's", needs: [everywhere("list", "priorityclasses")], call: { path: classes } },
    {
      title: "get of the cluster's",
      needs: [{ ...everywhere("get", "priorityclasses"), name: "system-node-critical" }],
      call: { path: `${classes}/nothing` },
    },
  ];
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** Gives a user what its grants say: Roles in the home namespace, ClusterRoles everywhere. */
async function give(http: Http, user: string, grants: readonly Grant[], home: string): Promise<void> {
  const api = "rbac.authorization.k8s.io";
  for (const [i, grant] of grants.entries()) {
    const local = grant.where === "home";
    const name = `${user}-${i}`;
    const base = local ? `${rbac}/namespaces/${home}` : rbac;
    const rule = {
      apiGroups: ["*"],
      resources: grant.resources,
      verbs: grant.verbs,
      ...(grant.names === undefined ? {} : { resourceNames: grant.names }),
    };
    await done(http.post(`${base}/${local ? "roles" : "clusterroles"}`, { metadata: { name }, rules: [rule] }));
    await done(
      http.post(`${base}/${local ? "rolebindings" : "clusterrolebindings"}`, {
        metadata: { name },
        roleRef: { apiGroup: api, kind: local ? "Role" : "ClusterRole", name },
        subjects: [{ apiGroup: api, kind: "User", name: user }],
      }),
    );
  }
}

/** Whether a request went through; what a missing object answers counts as that. */
const wentThrough = ({ status }: Answer): boolean => status < 400 || status === 404;

/** Who may do what by RBAC (issue of access, 6): every verb, in every scope, of every sort of role. */
export function permissionSuite(on: On): void {
  test("a role gives what it says and nothing else: verb by scope by role", async () => {
    const { http } = on();
    const [home, away] = ["perm-home", "perm-away"];
    for (const name of [home, away]) {
      await done(http.post("/api/v1/namespaces", { metadata: { name } }));
      for (const each of ["a", "b"]) {
        await done(http.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: each } }));
      }
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
      const spec = { replicas: 0, selector: { matchLabels: { a: "b" } }, template };
      await done(http.post(`/apis/apps/v1/namespaces/${name}/deployments`, { metadata: { name: "d" }, spec }));
    }
    for (const [holder, grants] of Object.entries(holders)) await give(http, `perm-${holder}`, grants, home);
    // The last role given holds on every gateway once it does on each that is asked in turn; those of the cluster and
    // those of a namespace come to them by different ways.
    const last = [
      ["perm-classes", "/apis/scheduling.k8s.io/v1/priorityclasses"],
      ["perm-object-alone", `/apis/apps/v1/namespaces/${home}/deployments/d`],
    ];
    await until("the roles hold", async () => {
      const answers = last.flatMap(([name = "", path = ""]) =>
        [0, 1, 2].map(() => http.call({ path, as: { type: "user", name } })),
      );
      return (await Promise.all(answers)).every(({ status }) => status === 200) ? true : undefined;
    });
    const wrong: string[] = [];
    let checked = 0;
    for (const [holder, grants] of Object.entries(holders)) {
      const as: Credentials = { type: "user", name: `perm-${holder}` };
      await Promise.all(
        attempts([home, away]).map(async ({ title, call, needs }) => {
          const allowed = needs.every((right) => may(grants, home, right));
          const answer = await http.call({ ...call, as });
          checked++;
          const right = allowed ? wentThrough(answer) : answer.status === 403;
          if (!right) wrong.push(`${holder}: ${title}: ${allowed ? "allowed" : "refused"}, yet ${answer.status}`);
        }),
      );
    }
    assert.deepEqual(wrong, []);
    assert.ok(checked > 900, `${checked} requests`);
  });

  test("a list by who has rights in a namespace shows that namespace alone", async () => {
    const { http } = on();
    for (const name of ["only-mine", "only-others"]) {
      await done(http.post("/api/v1/namespaces", { metadata: { name } }));
      await done(http.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: `of-${name}` } }));
    }
    await give(http, "only-ann", [{ where: "home", verbs: ["list", "watch"], resources: ["configmaps"] }], "only-mine");
    const as: Credentials = { type: "user", name: "only-ann" };
    const path = "/api/v1/namespaces/only-mine/configmaps";
    const listed = await until("the role holds", async () => {
      const answer = await http.call({ path, as });
      return answer.status === 200 ? answer : undefined;
    });
    assert.deepEqual(
      listed.items().filter(({ metadata }) => metadata.namespace !== "only-mine"),
      [],
    );
    assert.ok(listed.items().some(({ metadata }) => metadata.name === "of-only-mine"));
    for (const wider of ["/api/v1/configmaps", "/api/v1/namespaces/only-others/configmaps"]) {
      for (const query of [{}, { watch: true }, { fieldSelector: "metadata.namespace=only-mine" }]) {
        assertFailure(await http.call({ path: wider, query, as }), { code: 403, reason: "Forbidden" });
      }
    }
  });
}
