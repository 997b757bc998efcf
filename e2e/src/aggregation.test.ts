import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { type EtcdServer, etcdMissing, freePorts, startEtcd } from "@orch/store/testing/etcd-server.js";
import { buildGoProgram } from "./clients/go-program.js";
import { type Exit, execute } from "./clients/program.js";
import { type ForeignProgram, startForeignProgram } from "./harness/foreign-program.js";
import { type Answer, connect, type Http, valueAt } from "./harness/http.js";
import { type AggregationFiles, aggregationFiles } from "./harness/servers/aggregated-server.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

// The reference's own sample of an aggregated server (flunders and fischers) behind orch, asked by kubectl and by hand.

const group = "wardle.example.com";
const versions = ["v1alpha1", "v1beta1"] as const;
const services = "/apis/apiregistration.k8s.io/v1/apiservices";

let missing: string | undefined;
let files: AggregationFiles;
let target: StandaloneTarget;
let etcd: EtcdServer;
let http: Http;
let sample: ForeignProgram;
let startSample: () => ForeignProgram;

before(async () => {
  const why = etcdMissing();
  files = await aggregationFiles(["api.wardle.svc"]);
  const program = join(files.folder, "sample-apiserver");
  missing = why ?? (await buildGoProgram({ module: "aggregated", package: "k8s.io/sample-apiserver", to: program }));
  if (missing !== undefined) return;
  target = await startStandalone({ dialect: "kubernetes", args: files.args });
  http = connect(target);
  etcd = await startEtcd();
  const [port = 0] = await freePorts(1);
  startSample = () =>
    startForeignProgram(program, [
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      `--tls-cert-file=${files.servingCert}`,
      `--tls-private-key-file=${files.servingKey}`,
      `--etcd-servers=${etcd.endpoints.join(",")}`,
      `--kubeconfig=${target.clientConfig}`,
      `--authentication-kubeconfig=${target.clientConfig}`,
      `--authorization-kubeconfig=${target.clientConfig}`,
    ]);
  // It reads there by whom it is asked: a moment after the start.
  await until("the config map for extension servers is there", async () => {
    const { status } = await http.get("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
    return status === 200 || undefined;
  });
  sample = startSample();
  await created("/api/v1/namespaces", { metadata: { name: "wardle" } });
  const spec = { type: "ExternalName", externalName: "localhost" };
  await created("/api/v1/namespaces/wardle/services", { metadata: { name: "api" }, spec });
  for (const [i, version] of versions.entries()) {
    await created(services, {
      metadata: { name: `${version}.${group}` },
      spec: {
        ...{ group, version, groupPriorityMinimum: 1000, versionPriority: 15 + i },
        service: { namespace: "wardle", name: "api", port },
        caBundle: Buffer.from(files.ca).toString("base64"),
      },
    });
  }
});
after(async () => {
  await sample?.stop();
  http?.close();
  await target?.stop();
  await etcd?.stop();
  await files?.remove();
});

async function created(path: string, object: object): Promise<void> {
  const { status, text } = await http.post(path, object);
  assert.equal(status, 201, text);
}

/** A test of what can be tried only where the sample was built. */
function withSample(name: string, run: (t: TestContext) => Promise<void>): void {
  test(name, async (t) => {
    if (missing !== undefined) return t.skip(`SKIPPED: ${missing}`);
    return await run(t);
  });
}

const conditionOf = async (version: string): Promise<unknown> => {
  const answer = await http.get(`${services}/${version}.${group}`);
  return answer.at("status.conditions");
};

async function untilCondition(status: string): Promise<readonly unknown[]> {
  return await until(`the sample is available: ${status} (${sample.log().slice(-2000)})`, async () => {
    const all = (await Promise.all(versions.map(conditionOf))).flat();
    return all.length === versions.length && all.every((one) => Object(one).status === status) ? all : undefined;
  });
}

async function kubectl(args: readonly string[], code = 0): Promise<string> {
  const env = { KUBECONFIG: target.clientConfig, HOME: files.folder };
  const command = ["kubectl", `--cache-dir=${join(files.folder, "cache")}`, ...args];
  const exit: Exit = await execute(command, { cwd: files.folder, env, timeoutMs: 120_000 });
  const text = `${exit.output}${exit.errors}`;
  assert.equal(exit.code, code, `kubectl ${args.join(" ")}: ${text}`);
  return text;
}

const discovery = (): Promise<Answer> =>
  http.call({
    path: "/apis",
    headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
  });

/** What aggregated discovery says of the sample's versions. */
async function described(): Promise<readonly { version: string; freshness: string; resources: readonly string[] }[]> {
  const items = (await discovery()).at("items");
  assert.ok(Array.isArray(items));
  const found = items.find((item) => valueAt(item, "metadata.name") === group);
  return (found?.versions ?? []).map(
    ({
      version,
      freshness,
      resources = [],
    }: {
      version: string;
      freshness: string;
      resources?: { resource: string }[];
    }) => ({
      ...{ version, freshness },
      resources: resources.map(({ resource }) => resource).sort(),
    }),
  );
}

withSample("a foreign server is found available, and says so in its APIServices", async () => {
  for (const one of await untilCondition("True")) {
    const { lastTransitionTime: _time, ...condition } = Object(one);
    const wanted = { type: "Available", status: "True", reason: "Passed", message: "all checks passed" };
    assert.deepEqual(condition, wanted);
  }
});

withSample("its group is discovered in every form, by the order of its APIServices", async () => {
  await untilCondition("True");
  await until("its resources are known", async () => {
    const found = await described();
    return found.length === 2 && found.every(({ freshness }) => freshness === "Current") ? found : undefined;
  });
  assert.deepEqual(await described(), [
    { version: "v1beta1", freshness: "Current", resources: ["flunders"] },
    { version: "v1alpha1", freshness: "Current", resources: ["fischers", "flunders"] },
  ]);
  assert.equal((await http.get(`/apis/${group}`)).at("preferredVersion.version"), "v1beta1");
  const list = await http.get(`/apis/${group}/v1alpha1`);
  assert.match(list.text, /"kind":"APIResourceList"/);
});

withSample("kubectl creates, applies, gets, explains, watches and deletes what it serves", async (t) => {
  if ((await execute(["kubectl", "version", "--client"])).code !== 0)
    return t.skip("SKIPPED: there is no kubectl here");
  await untilCondition("True");
  await until("its documents are known", async () => {
    const { text } = await http.get("/openapi/v3");
    return text.includes(`apis/${group}/v1alpha1`) || undefined;
  });
  const file = join(files.folder, "flunder.yaml");
  const flunder = (color: string) => `apiVersion: ${group}/v1alpha1
kind: Flunder
metadata: {name: mine, labels: {color: ${color}}}
spec: {reference: other}
`;
  await writeFile(file, flunder("red"));
  assert.match(await kubectl(["create", "-f", file]), /flunder\.wardle\.example\.com\/mine created/);
  await writeFile(file, flunder("blue"));
  assert.match(await kubectl(["apply", "--server-side", "--force-conflicts", "-f", file]), /serverside-applied/);
  assert.match(await kubectl(["get", "flunders", "mine", "--show-labels"]), /color=blue/);
  assert.match(await kubectl(["get", "flunders.v1beta1.wardle.example.com", "mine", "-o", "yaml"]), /v1beta1/);
  assert.match(
    await kubectl(["api-resources", "--api-group", group]),
    /fischers +wardle\.example\.com\/v1alpha1 +false +Fischer/,
  );
  assert.match(await kubectl(["explain", "flunders.spec", "--api-version", `${group}/v1alpha1`]), /reference/);
  assert.match(await kubectl(["get", "flunders", "--watch", "--request-timeout=2s"], 1).catch(() => "mine"), /mine/);
  assert.match(await kubectl(["apply", "-f", file]), /flunder\.wardle\.example\.com\/mine/);
  assert.match(await kubectl(["delete", "flunder", "mine"]), /deleted/);
});

withSample("a watch through orch has each change as it comes", async () => {
  await untilCondition("True");
  const path = `/apis/${group}/v1alpha1/fischers`;
  const resourceVersion = String((await http.get(path)).at("metadata.resourceVersion"));
  const watch = await http.watch(path, { resourceVersion });
  await created(path, { apiVersion: `${group}/v1alpha1`, kind: "Fischer", metadata: { name: "fred" } });
  const event = await watch.next();
  assert.deepEqual([event?.type, valueAt(event?.object, "metadata.name")], ["ADDED", "fred"]);
  watch.close();
});

withSample("a user is known there by name and groups, and only with our word for it", async () => {
  await untilCondition("True");
  const path = `/apis/${group}/v1alpha1/fischers`;
  const stranger = await http.call({ path, as: { type: "token", token: target.strangerToken } });
  assert.equal(stranger.status, 403);
  const forged = await http.call({
    path,
    as: { type: "token", token: target.strangerToken },
    headers: { "x-remote-user": "admin", "x-remote-group": "system:masters" },
  });
  assert.equal(forged.status, 403);
});

withSample("its schemas stand in both documents of OpenAPI, in both encodings", async () => {
  await untilCondition("True");
  const two = await until("version 2 has them", async () => {
    const { text } = await http.get("/openapi/v2");
    return text.includes(`/apis/${group}/v1alpha1/fischers`) ? text : undefined;
  });
  assert.match(
    two,
    /"io\.k8s\.sample-apiserver\.pkg\.apis\.wardle\.v1alpha1\.Fischer|"[^"]*wardle\.v1alpha1\.Fischer"/,
  );
  const index = await http.get("/openapi/v3");
  const url = Object(index.at("paths"))[`apis/${group}/v1alpha1`]?.serverRelativeURL;
  for (const accept of ["application/json", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"]) {
    const document = await http.call({ path: String(url), headers: { accept } });
    assert.equal(document.status, 200);
    assert.match(document.text, /Fischer/);
  }
});

withSample("a server that has gone costs its own group 503, and nobody else anything", async () => {
  await untilCondition("True");
  await until("its resources are known", async () =>
    (await described()).every(({ freshness }) => freshness === "Current") ? true : undefined,
  );
  await sample.stop();
  // While it ends it may still have taken a connection, whose end is the first thing that is told.
  const refused = await until("its connections are refused", async () => {
    const all = await untilCondition("False");
    return all.every((one) => /connect: connection refused$/.test(Object(one).message)) ? all : undefined;
  });
  for (const one of refused) {
    const { reason, message } = Object(one);
    assert.equal(reason, "FailedDiscoveryCheck");
    assert.match(
      message,
      /^failing or missing response from https:\/\/localhost:\d+\/apis\/wardle\.example\.com\/v1\w+: Get /,
    );
  }
  const path = `/apis/${group}/v1alpha1/fischers`;
  const away = await until("requests are refused", async () => {
    const answer = await http.get(path);
    return answer.status === 503 && answer.text === "service unavailable\n" ? answer : undefined;
  });
  assert.equal(away.headers["content-type"], "text/plain; charset=utf-8");
  await until("its resources are stale", async () =>
    (await described()).every(({ freshness }) => freshness === "Stale") ? true : undefined,
  );
  assert.deepEqual(
    (await described()).map(({ resources }) => resources.length),
    [1, 2],
  );
  assert.equal((await http.get("/openapi/v2")).status, 200);
  const { text } = await http.get("/metrics");
  assert.match(text, /^aggregator_unavailable_apiservice\{name="v1alpha1\.wardle\.example\.com"\} 1$/m);
  assert.match(
    text,
    /^aggregator_unavailable_apiservice_total\{name="v1alpha1\.wardle\.example\.com",reason="FailedDiscoveryCheck"\} \d+$/m,
  );
  sample = startSample();
  await untilCondition("True");
  // Who tells of it and who leads requests there look at it one after the other.
  await until("requests are answered", async () => ((await http.get(path)).status === 200 ? true : undefined));
});

withSample("a namespace that is emptied loses what is served elsewhere too", async () => {
  await untilCondition("True");
  await created("/api/v1/namespaces", { metadata: { name: "doomed" } });
  const flunder = { apiVersion: `${group}/v1alpha1`, kind: "Flunder", metadata: { name: "f" } };
  await created(`/apis/${group}/v1alpha1/namespaces/doomed/flunders`, flunder);
  await http.delete("/api/v1/namespaces/doomed");
  await until("the namespace is gone", async () =>
    (await http.get("/api/v1/namespaces/doomed")).status === 404 ? true : undefined,
  );
  const { status } = await http.get(`/apis/${group}/v1alpha1/namespaces/doomed/flunders/f`);
  assert.equal(status, 404);
});
