import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { type Exit, execute } from "./clients/program.js";
import { connect, type Http } from "./harness/http.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";

/** The writes of the kubectl that is here, if there is one: what people do by hand every day. */
let folder: string;
let target: StandaloneTarget;
let http: Http;
let missing: string | undefined;

before(async () => {
  const version = await execute(["kubectl", "version", "--client"]);
  if (version.code !== 0) {
    missing = `SKIPPED: there is no kubectl here (https://kubernetes.io/docs/tasks/tools): ${version.errors}`;
    return;
  }
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

interface Kubectl {
  /** Runs it in a namespace of the test's own; `code`: what it has to end with. @returns its output and errors */
  (args: readonly string[], code?: number): Promise<string>;
  readonly namespace: string;
  /** A file with this text. */
  file(name: string, text: string): Promise<string>;
}

/** undefined, and the test skipped, where there is none. */
async function inNamespace(t: TestContext, namespace: string): Promise<Kubectl | undefined> {
  if (missing !== undefined) {
    t.skip(missing);
    return undefined;
  }
  const env = { KUBECONFIG: target.clientConfig, HOME: folder, EDITOR: "sed -i s/before/behind/", KUBE_EDITOR: "" };
  const run = async (args: readonly string[], code = 0): Promise<string> => {
    const command = ["kubectl", `--namespace=${namespace}`, `--cache-dir=${join(folder, "cache")}`, ...args];
    const exit: Exit = await execute(command, { cwd: folder, env, timeoutMs: 30_000 });
    const text = `${exit.output}${exit.errors}`;
    assert.equal(exit.code, code, `kubectl ${args.join(" ")}: ${text}`);
    return text;
  };
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, `${namespace}-${name}`);
    await writeFile(path, text);
    return path;
  };
  await run(["create", "namespace", namespace]);
  return Object.assign(run, { namespace, file });
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
        await kubectl(["delete", "deployment/web", `--cascade=${cascade}`, "--timeout=20s"]),
        /"web" deleted/,
      );
      assert.equal((await web(kubectl)).status, 404);
      if (cascade === "background") await kubectl(["wait", "--for=delete", `configmap/${cascade}`, "--timeout=20s"]);
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
    assert.match(await kubectl(["delete", "namespace", kubectl.namespace, "--timeout=25s"]), /"deleted" deleted/);
    assert.equal((await http.get(`/api/v1/namespaces/${kubectl.namespace}`)).status, 404);
  });
});

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
