import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { execute } from "./clients/program.js";
import { type Credentials, connect, type Http, valueAt } from "./harness/http.js";
import { type Kubectl, kubectlIn, kubectlMissing } from "./harness/kubectl.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** The writes of the kubectl that is here, if there is one: what people do by hand every day. */
let folder: string;
let target: StandaloneTarget;
let http: Http;
let missing: string | undefined;

before(async () => {
  missing = await kubectlMissing();
  if (missing !== undefined) return;
  folder = await mkdtemp(join(tmpdir(), "orch-kubectl-"));
  target = await startStandalone({ dialect: "kubernetes" });
  http = connect(target);
});
after(async () => {
  if (missing !== undefined) return;
  http.close();
  await target.stop();
  await rm(folder, { recursive: true, force: true });
});

/** undefined, and the test skipped, where there is none. */
async function inNamespace(t: TestContext, namespace: string): Promise<Kubectl | undefined> {
  if (missing === undefined) return await kubectlIn({ target, folder, namespace });
  t.skip(missing);
  return undefined;
}

const deployment = (image = "example.com/c:1") => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: ${image}
        ports: [{containerPort: 80}]
`;

const map = (name: string, value: string) => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, labels: {set: one}}
data: {k: "${value}"}
`;

async function web(kubectl: Kubectl) {
  return http.get(`/apis/apps/v1/namespaces/${kubectl.namespace}/deployments/web`);
}

describe("kubectl", { concurrency: 2 }, () => {
  test("explain tells types and fields in words", async (t) => {
    const kubectl = await inNamespace(t, "explained");
    if (kubectl === undefined) return;
    const explained = await kubectl(["explain", "endpointslices.endpoints"]);
    assert.match(explained, /FIELD: endpoints <\[\]Endpoint>/);
    assert.match(explained, /DESCRIPTION:\n {4}The addresses, at most 1000\./);
    assert.match(explained, /nodeName\s+<string>\n {4}The node that it is on\./);
    assert.doesNotMatch(await kubectl(["explain", "customresourcedefinitions", "--recursive"]), /<empty>/);
  });

  test("applies on the client's side, and shows what would change", async (t) => {
    const kubectl = await inNamespace(t, "client-side");
    if (kubectl === undefined) return;
    const file = await kubectl.file("web.yaml", deployment());
    assert.match(await kubectl(["diff", `--filename=${file}`], 1), /^\+ {6}- image: example.com\/c:1$/m);
    assert.match(await kubectl(["apply", `--filename=${file}`]), /web created/);
    assert.match(await kubectl(["apply", `--filename=${file}`]), /web unchanged/);
    assert.equal(await kubectl(["diff", `--filename=${file}`]), "");
    await kubectl.file("web.yaml", deployment("example.com/c:2"));
    for (const how of ["--server-side=false", "--server-side"]) {
      const difference = await kubectl(["diff", how, `--filename=${file}`], 1);
      assert.match(difference, /^-\s+- image: example.com\/c:1$/m);
      assert.match(difference, /^\+\s+- image: example.com\/c:2$/m);
    }
    assert.match(
      await kubectl(["apply", "--dry-run=server", `--filename=${file}`]),
      /web configured \(server dry run\)/,
    );
    assert.equal((await web(kubectl)).at("spec.template.spec.containers.0.image"), "example.com/c:1");
    assert.match(await kubectl(["apply", `--filename=${file}`]), /web configured/);
    assert.match(await kubectl(["apply", "view-last-applied", "deployment/web"]), /image: example.com\/c:2/);
    const wrong = await kubectl.file("wrong.yaml", deployment().replace("replicas: 2", "replicas: 2\n  surplus: 1"));
    assert.match(
      await kubectl(["apply", `--filename=${wrong}`], 1),
      /strict decoding error: unknown field "spec.surplus"/,
    );
    assert.match(
      await kubectl(["apply", "--validate=warn", `--filename=${wrong}`]),
      /Warning: unknown field "spec.surplus"/,
    );
    const pruned = ["apply", "--prune", "--selector=set=one", "--prune-allowlist=core/v1/ConfigMap"];
    const both = await kubectl.file("both.yaml", `${map("a", "1")}---\n${map("b", "1")}`);
    const one = await kubectl.file("one.yaml", map("a", "1"));
    await kubectl([...pruned, `--filename=${both}`]);
    assert.match(await kubectl([...pruned, `--filename=${one}`]), /configmap\/b pruned/);
  });

  test("applies on the server's side: conflicts, force, and on from the client's side", async (t) => {
    const kubectl = await inNamespace(t, "server-side");
    if (kubectl === undefined) return;
    const file = await kubectl.file("web.yaml", deployment());
    const other = await kubectl.file("other.yaml", deployment("example.com/c:2"));
    const apply = ["apply", "--server-side"];
    await kubectl(["apply", `--filename=${file}`]);
    assert.match(await kubectl([...apply, `--filename=${file}`]), /web serverside-applied/);
    const { version } = await stateOf(kubectl);
    await kubectl([...apply, `--filename=${file}`]);
    assert.equal((await stateOf(kubectl)).version, version, "the same again is no change");
    const refused = await kubectl([...apply, "--field-manager=other", `--filename=${other}`], 1);
    assert.match(
      refused,
      /^error: Apply failed with 1 conflict: conflict with "kubectl": \.spec\.template\.spec\.containers\[name="c"\]\.image$/m,
    );
    assert.match(refused, /re-run the apply\s+command with the `--force-conflicts` flag/);
    await kubectl([...apply, "--field-manager=other", "--force-conflicts", `--filename=${other}`]);
    const after = await stateOf(kubectl);
    assert.equal(after.image, "example.com/c:2");
    assert.deepEqual(after.managers.toSorted(), ["kubectl Apply", "kubectl-last-applied Apply", "other Apply"]);
    assert.match(
      await kubectl([...apply, "--dry-run=server", "--field-manager=new", `--filename=${file}`], 1),
      /conflict/,
    );
  });

  test("patches in every way, scales, sets, labels, edits and restarts", async (t) => {
    const kubectl = await inNamespace(t, "changes");
    if (kubectl === undefined) return;
    const file = await kubectl.file("web.yaml", deployment());
    await kubectl(["create", `--filename=${file}`]);
    const patch = (...args: readonly string[]) => kubectl(["patch", "deployment/web", ...args]);
    assert.match(
      await patch('--patch={"spec":{"template":{"spec":{"containers":[{"name":"d","image":"d"}]}}}}'),
      /patched$/m,
    );
    await patch("--type=merge", '--patch={"spec":{"paused":true}}');
    await patch("--type=json", '--patch=[{"op":"remove","path":"/spec/paused"}]');
    assert.match(await patch("--type=merge", '--patch={"spec":{"replicas":2}}'), /patched \(no change\)$/m);
    await patch("--subresource=status", "--type=merge", '--patch={"status":{"replicas":3}}');
    await patch("--subresource=scale", "--type=merge", '--patch={"spec":{"replicas":3}}');
    const patched = await web(kubectl);
    assert.deepEqual(
      ["spec.replicas", "status.replicas", "spec.template.spec.containers.0.name"].map((path) => patched.at(path)),
      [3, 3, "d"],
    );
    await kubectl(["scale", "deployment/web", "--replicas=5"]);
    assert.match(await kubectl(["scale", "deployment/web", "--replicas=6", "--current-replicas=4"], 1), /was 5/);
    await kubectl(["set", "image", "deployment/web", "c=example.com/c:9"]);
    await kubectl(["set", "env", "deployment/web", "A=b"]);
    await kubectl(["set", "resources", "deployment/web", "--limits=cpu=1"]);
    await kubectl(["label", "deployment/web", "tier=before"]);
    assert.match(await kubectl(["label", "deployment/web", "tier=x"], 1), /--overwrite is false/);
    await kubectl(["annotate", "deployment/web", "note=before"]);
    assert.match(await kubectl(["edit", "deployment/web"]), /web edited/);
    await kubectl(["rollout", "restart", "deployment/web"]);
    const changed = await web(kubectl);
    assert.equal(changed.at("spec.replicas"), 5);
    assert.equal(changed.at("metadata.labels.tier"), "behind");
    assert.equal(changed.at("metadata.annotations.note"), "behind");
    assert.equal(changed.at("spec.template.spec.containers.1.image"), "example.com/c:9");
    assert.ok(changed.text.includes("kubectl.kubernetes.io/restartedAt"));
    await kubectl(["label", "deployment/web", "tier-"]);
    assert.equal((await web(kubectl)).at("metadata.labels.tier"), undefined);
  });

  test("replaces what it read, and nothing that is older", async (t) => {
    const kubectl = await inNamespace(t, "replaced");
    if (kubectl === undefined) return;
    const made = await kubectl.file("map.yaml", map("m", "1"));
    await kubectl(["create", `--filename=${made}`]);
    assert.match(await kubectl(["create", `--filename=${made}`], 1), /AlreadyExists/);
    const read = await kubectl(["get", "configmap/m", "--output=yaml"]);
    const old = await kubectl.file("old.yaml", read.replace(/k: "1"/, 'k: "2"'));
    assert.match(await kubectl(["replace", `--filename=${old}`]), /m replaced/);
    assert.match(await kubectl(["replace", `--filename=${old}`], 1), /Conflict.*the object has been modified/s);
    const uid = (await http.get(`/api/v1/namespaces/${kubectl.namespace}/configmaps/m`)).at("metadata.uid");
    assert.match(await kubectl(["replace", "--force", `--filename=${made}`]), /m replaced/);
    assert.notEqual((await http.get(`/api/v1/namespaces/${kubectl.namespace}/configmaps/m`)).at("metadata.uid"), uid);
  });

  test("deletes with and without dependents, by name, label and all, and a namespace with all that is in it", async (t) => {
    const kubectl = await inNamespace(t, "deleted");
    if (kubectl === undefined) return;
    const file = await kubectl.file("web.yaml", deployment());
    for (const cascade of ["background", "foreground", "orphan"]) {
      await kubectl(["create", `--filename=${file}`]);
      const uid = (await web(kubectl)).at("metadata.uid");
      const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid };
      const owned = `/api/v1/namespaces/${kubectl.namespace}/configmaps`;
      await http.post(owned, { metadata: { name: cascade, ownerReferences: [owner] } });
      assert.match(await kubectl(["delete", "deployment/web", "--dry-run=server"]), /"web" deleted \(server dry run\)/);
      assert.match(
        await kubectl(["delete", "deployment/web", `--cascade=${cascade}`, "--timeout=60s"]),
        /"web" deleted/,
      );
      assert.equal((await web(kubectl)).status, 404);
      if (cascade === "background") await kubectl(["wait", "--for=delete", `configmap/${cascade}`, "--timeout=60s"]);
      const dependent = await http.get(`${owned}/${cascade}`);
      assert.equal(dependent.status, cascade === "orphan" ? 200 : 404, dependent.text);
      if (cascade === "orphan") assert.equal(dependent.at("metadata.ownerReferences"), undefined);
    }
    await kubectl(["create", "configmap", "a", "--from-literal=k=v"]);
    await kubectl(["label", "configmap/a", "x=y"]);
    assert.match(await kubectl(["delete", "configmap", "--selector=x=y"]), /"a" deleted/);
    assert.match(await kubectl(["delete", "configmap/a"], 1), /NotFound/);
    assert.match(await kubectl(["delete", "configmap/a", "--ignore-not-found"]), /^$/);
    assert.match(await kubectl(["delete", "configmap", "--all"]), /"orphan" deleted/);
    await kubectl(["create", "service", "clusterip", "s", "--tcp=80"]);
    assert.match(await kubectl(["delete", "namespace", kubectl.namespace, "--timeout=60s"]), /"deleted" deleted/);
    assert.equal((await http.get(`/api/v1/namespaces/${kubectl.namespace}`)).status, 404);
  });
});

describe("kubectl and access", { concurrency: 2 }, () => {
  test("tells what somebody may do, and who somebody is", async (t) => {
    const kubectl = await inNamespace(t, "may");
    if (kubectl === undefined) return;
    const { namespace } = kubectl;
    assert.match(await kubectl(["auth", "can-i", "delete", "nodes"]), /^yes$/m);
    assert.match(await kubectl(["auth", "can-i", "list", "pods", "--as=may-ann"], 1), /^no$/m);
    await kubectl(["create", "role", "reader", "--verb=get,list", "--resource=pods,deployments.apps/scale"]);
    await kubectl(["create", "role", "one", "--verb=update", "--resource=configmaps", "--resource-name=a"]);
    await kubectl(["create", "rolebinding", "reader", "--role=reader", "--user=may-ann"]);
    await kubectl(["create", "rolebinding", "one", "--role=one", "--group=may-team"]);
    await kubectl(["create", "serviceaccount", "robot"]);
    await kubectl(["create", "rolebinding", "robot", "--clusterrole=view", `--serviceaccount=${namespace}:robot`]);
    await until("the last of these bindings holds", async () => {
      const as: Credentials = { type: "user", name: `system:serviceaccount:${namespace}:robot` };
      const answer = await http.call({ path: `/api/v1/namespaces/${namespace}/pods`, as });
      return answer.status === 200 ? true : undefined;
    });
    const ann = ["--as=may-ann", "--as-group=may-team"];
    const questions: readonly (readonly [readonly string[], boolean])[] = [
      [["list", "pods", ...ann], true],
      [["get", "pods/any", ...ann], true],
      [["get", "pods", "--subresource=log", ...ann], false],
      [["get", "deployments.apps", "--subresource=scale", ...ann], true],
      [["get", "deployments.apps", ...ann], false],
      [["update", "configmaps/a", ...ann], true],
      [["update", "configmaps/b", ...ann], false],
      [["update", "configmaps/a", "--as=may-ann"], false],
      [["list", "pods", "--namespace=default", ...ann], false],
      [["list", "pods", "--all-namespaces", ...ann], false],
      [["get", "/version", ...ann], true],
      [["get", "/metrics", ...ann], false],
      [["list", "services", `--as=system:serviceaccount:${namespace}:robot`], true],
      [["list", "secrets", `--as=system:serviceaccount:${namespace}:robot`], false],
    ];
    for (const [question, may] of questions) {
      const answer = await kubectl(["auth", "can-i", ...question], may ? 0 : 1);
      assert.match(answer, may ? /^yes$/m : /^no\b/m, question.join(" "));
    }
    const rows = (await kubectl(["auth", "can-i", "--list", ...ann])).split("\n").map((row) => row.split(/ {2,}/));
    assert.deepEqual(rows[0]?.slice(0, 4), ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]);
    const lists = (row: readonly string[]) => rows.some((each) => JSON.stringify(each) === JSON.stringify(row));
    assert.ok(lists(["pods", "[]", "[]", "[get list]"]), JSON.stringify(rows));
    assert.ok(lists(["deployments.apps/scale", "[]", "[]", "[get list]"]), JSON.stringify(rows));
    assert.ok(lists(["configmaps", "[]", "[a]", "[update]"]), JSON.stringify(rows));
    assert.ok(!rows.some(([resource]) => resource === "secrets" || resource === "*.*"), JSON.stringify(rows));
    const who = await kubectl(["auth", "whoami", "--as=may-ann", "--as-group=may-team", "--as-uid=7"]);
    assert.match(who, /^Username +may-ann$/m);
    assert.match(who, /^UID +7$/m);
    assert.match(who, /^Groups +\[may-team system:authenticated\]$/m);
    assert.match(await kubectl(["auth", "whoami", "--output=jsonpath={.status.userInfo.username}"]), /^admin$/);
  });

  test("shows why it may not", async (t) => {
    const kubectl = await inNamespace(t, "refused");
    if (kubectl === undefined) return;
    const refused = await kubectl(["get", "pods", "--as=refused-bob"], 1);
    assert.equal(
      refused.trim(),
      'Error from server (Forbidden): pods is forbidden: User "refused-bob" cannot list resource "pods" in API group "" in the namespace "refused"',
    );
    assert.match(
      await kubectl(["get", "deployments.apps/web", "--as=refused-bob"], 1),
      /^Error from server \(Forbidden\): deployments.apps "web" is forbidden: User "refused-bob" cannot get resource "deployments" in API group "apps" in the namespace "refused"$/m,
    );
    assert.match(
      await kubectl(["get", "nodes", "--as=refused-bob"], 1),
      /nodes is forbidden: User "refused-bob" cannot list resource "nodes" in API group "" at the cluster scope$/m,
    );
    const anyone = ["--token=wrong", "--client-certificate=", "--client-key="];
    const config = await kubectl.file("nobody.yaml", await withoutUser());
    const unknown = await kubectl([`--kubeconfig=${config}`, "get", "pods", ...anyone], 1);
    assert.match(unknown, /^error: You must be logged in to the server \(Unauthorized\)$/m);
  });

  test("gives out tokens, and logs in with them", async (t) => {
    const kubectl = await inNamespace(t, "tokens");
    if (kubectl === undefined) return;
    await kubectl(["create", "serviceaccount", "robot"]);
    await kubectl(["create", "secret", "generic", "s"]);
    const config = await kubectl.file("nobody.yaml", await withoutUser());
    const login = (token: string, code: number) =>
      kubectl([`--kubeconfig=${config}`, `--token=${token.trim()}`, "auth", "whoami"], code);
    assert.match(
      await login(await kubectl(["create", "token", "robot"]), 0),
      /^Username +system:serviceaccount:tokens:robot$/m,
    );
    const brief = await kubectl(["create", "token", "robot", "--duration=10m", "--output=json"]);
    assert.equal(valueAt(JSON.parse(brief), "spec.expirationSeconds"), 600);
    const bound = ["--bound-object-kind=Secret", "--bound-object-name=s"];
    await login(await kubectl(["create", "token", "robot", ...bound]), 0);
    const other = await kubectl(["create", "token", "robot", "--audience=vault"]);
    assert.match(await login(other, 1), /You must be logged in to the server/);
    assert.match(
      await kubectl(["create", "token", "nobody"], 1),
      /^error: failed to create token: serviceaccounts "nobody" not found$/m,
    );
    assert.match(
      await kubectl(["create", "token", "robot", "--duration=1m"], 1),
      /spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes/,
    );
  });

  test("reconciles roles and bindings, and gives nobody more than its user has", async (t) => {
    const kubectl = await inNamespace(t, "reconciled");
    if (kubectl === undefined) return;
    const role = (verbs: string) => `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: reconciled}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [${verbs}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b, namespace: reconciled}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: reconciled-ann}]
`;
    const first = await kubectl.file("first.yaml", role("get, list"));
    const second = await kubectl.file("second.yaml", role("get, watch"));
    const reconciled = async (file: string, ...more: readonly string[]): Promise<string> =>
      kubectl(["auth", "reconcile", `--filename=${file}`, ...more]);
    assert.match(await reconciled(first, "--dry-run=client"), /r reconciled \(dry run\)/);
    assert.match(await kubectl(["get", "role/r"], 1), /NotFound/);
    const made = await reconciled(first);
    assert.match(made, /^role.rbac.authorization.k8s.io\/r reconciled$/m);
    assert.match(made, /^rolebinding.rbac.authorization.k8s.io\/b reconciled$/m);
    await reconciled(second);
    const verbs = ["get", "role/r", "--output=jsonpath={.rules[*].verbs}"];
    assert.equal(await kubectl(verbs), '["get","list"] ["watch"]');
    await reconciled(second, "--remove-extra-permissions");
    assert.equal((await kubectl(verbs)).includes("list"), false);

    await kubectl(["create", "clusterrole", "reconciled-lists", "--verb=list", "--resource=pods"]);
    const writes = ["--verb=create", "--resource=roles,rolebindings"];
    await kubectl(["create", "role", "writes", ...writes]);
    await kubectl(["create", "rolebinding", "writes", "--role=writes", "--user=reconciled-bob"]);
    const url = "--non-resource-url=/metrics";
    await kubectl(["create", "clusterrole", "reconciled-metrics", "--verb=get", url]);
    const bob: Credentials = { type: "user", name: "reconciled-bob" };
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/reconciled/roles";
    await until("bob may write roles", async () => {
      const body = { metadata: { name: "probe" }, rules: [] };
      const answer = await http.call({ method: "POST", path: roles, query: { dryRun: "All" }, body, as: bob });
      return answer.status === 201 ? true : undefined;
    });
    const as = "--as=reconciled-bob";
    assert.match(
      await kubectl(["create", "role", "more", "--verb=get", "--resource=secrets", as], 1),
      /^Error from server \(Forbidden\): roles.rbac.authorization.k8s.io "more" is forbidden: user "reconciled-bob" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}$/m,
    );
    assert.match(
      await kubectl(["create", "rolebinding", "more", "--clusterrole=reconciled-lists", `--user=x`, as], 1),
      /is attempting to grant RBAC permissions not currently held/,
    );
    assert.match(await kubectl(["create", "role", "same", ...writes, as]), /same created$/m);
  });

  test("approves and denies requests for certificates", async (t) => {
    const kubectl = await inNamespace(t, "signed");
    if (kubectl === undefined) return;
    for (const name of ["signed-yes", "signed-no"]) {
      const key = join(folder, `${name}.key`);
      const made = await execute([
        ...["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
        ...["-keyout", key, "-out", join(folder, `${name}.csr`), "-subj", `/O=signers/CN=${name}`],
      ]);
      assert.equal(made.code, 0, made.errors);
      const pem = await readFile(join(folder, `${name}.csr`));
      const file = await kubectl.file(
        `${name}.yaml`,
        `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ${name}}
spec: {request: ${pem.toString("base64")}, signerName: kubernetes.io/kube-apiserver-client, usages: [client auth], expirationSeconds: 3600}
`,
      );
      await kubectl(["create", `--filename=${file}`, "--as=signed-asker", "--as-group=system:masters"]);
    }
    const row = async (name: string) => (await kubectl(["get", "csr", name, "--no-headers"])).trim().split(/ {2,}/);
    const signer = "kubernetes.io/kube-apiserver-client";
    assert.match(
      await kubectl(["get", "csr", "signed-yes"]),
      /^NAME +AGE +SIGNERNAME +REQUESTOR +REQUESTEDDURATION +CONDITION$/m,
    );
    assert.deepEqual((await row("signed-yes")).toSpliced(1, 1), [
      ...["signed-yes", signer, "signed-asker", "60m", "Pending"],
    ]);
    assert.match(
      await kubectl(["certificate", "approve", "signed-yes", "--as=signed-bob"], 1),
      /^Error from server \(Forbidden\): certificatesigningrequests.certificates.k8s.io "signed-yes" is forbidden: User "signed-bob" cannot get resource "certificatesigningrequests"/m,
    );
    assert.match(await kubectl(["certificate", "approve", "signed-yes"]), /signed-yes approved$/m);
    assert.match(await kubectl(["certificate", "deny", "signed-no"]), /signed-no denied$/m);
    await until("the certificate is issued", async () =>
      (await row("signed-yes")).at(-1) === "Approved,Issued" ? true : undefined,
    );
    assert.equal((await row("signed-no")).at(-1), "Denied");
    const certificate = await kubectl(["get", "csr", "signed-yes", "--output=jsonpath={.status.certificate}"]);
    await writeFile(join(folder, "signed-yes.crt"), Buffer.from(certificate, "base64"));
    const config = await kubectl.file("nobody.yaml", await withoutUser());
    const pair = [`--client-certificate=${folder}/signed-yes.crt`, `--client-key=${folder}/signed-yes.key`];
    const who = await kubectl([`--kubeconfig=${config}`, ...pair, "auth", "whoami"]);
    assert.match(who, /^Username +signed-yes$/m);
    assert.match(who, /^Groups +\[signers system:authenticated\]$/m);
  });
});

/** The administrator's client configuration, without who that is. */
async function withoutUser(): Promise<string> {
  return (await readFile(target.clientConfig, "utf8"))
    .replace(/^ *(token|client-certificate-data|client-key-data):.*$/gm, "")
    .replace(/^( *)user:$/m, "$1user: {}");
}

async function stateOf(kubectl: Kubectl) {
  const object = await web(kubectl);
  const entries = object.at("metadata.managedFields");
  assert.ok(Array.isArray(entries));
  return {
    version: object.at("metadata.resourceVersion"),
    image: object.at("spec.template.spec.containers.0.image"),
    managers: entries.map((entry: { manager: string; operation: string }) => `${entry.manager} ${entry.operation}`),
  };
}
