import assert from "node:assert/strict";
import { request } from "node:https";
import { after, before, describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ensurePki } from "@orch/service-standalone/pki/pki.js";
import { connect, type Http } from "./harness/http.js";
import { type NodeAgent, startNodeAgent } from "./harness/servers/node-agent.js";
import { startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

// Webhooks and policies are asked about connections to containers and through proxies: operation CONNECT.

interface Review {
  readonly request: { readonly uid: string } & Readonly<Record<string, unknown>>;
}

const pods = "/api/v1/namespaces/default/pods";
const group = "/apis/admissionregistration.k8s.io/v1";

describe("the admission of connections", () => {
  let folder = "";
  let target: StandaloneTarget;
  let http: Http;
  let agent: NodeAgent;
  let webhooks: WebhookServer<Review>;

  before(async () => {
    folder = await newFolder();
    const pki = await ensurePki(folder, { tlsSans: [], clock: { now: Date.now }, naming: createNaming("kubernetes") });
    target = await startStandalone({
      dataDir: folder,
      args: [
        ...["--kubelet-preferred-address-types=InternalIP", `--kubelet-certificate-authority=${pki.paths.ca}`],
        "--disable-admission-plugins=ServiceAccount",
      ],
    });
    http = connect(target);
    agent = await startNodeAgent(pki);
    webhooks = await startWebhookServer<Review>();
    await made("/api/v1/nodes", { metadata: { name: "n" } });
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
    };
    assert.equal((await http.patch("/api/v1/nodes/n/status", "merge", { status })).status, 200);
    const containers = ["c", "d"].map((name) => ({ name, image: "i" }));
    await made(pods, { metadata: { name: "p", labels: { app: "x" } }, spec: { nodeName: "n", containers } });
    agent.upgrade((_message, socket) => {
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
    });
  });
  after(async () => {
    http?.close();
    await webhooks?.close();
    await agent?.close();
    await target?.stop();
    await removeFolder(folder);
  });

  async function made(path: string, object: object): Promise<void> {
    const { status, text } = await http.post(path, object);
    assert.equal(status, 201, text);
  }

  /** Asks for a connection; the code, and what is said with a refusal. */
  function dial(path: string): Promise<{ readonly code: number; readonly message: string; readonly warning: string }> {
    const { hostname: host, port } = new URL(target.urls[0] ?? "");
    const headers = { authorization: `Bearer ${target.pki.adminToken}`, connection: "Upgrade", upgrade: "SPDY/3.1" };
    return new Promise((resolve, reject) => {
      const asked = request({ ...{ host, port, path, method: "POST", agent: false, ca: target.pki.ca }, headers });
      asked.once("upgrade", ({ statusCode = 0 }, socket) => {
        socket.on("error", () => {});
        socket.destroy();
        resolve({ code: statusCode, message: "", warning: "" });
      });
      asked.once("response", async (response) => {
        let text = "";
        for await (const part of response.setEncoding("utf8")) text += part;
        const warning = String(response.headers["warning"] ?? "");
        resolve({ code: response.statusCode ?? 0, message: String(JSON.parse(text).message), warning });
      });
      asked.once("error", reject);
      asked.end();
    });
  }

  const rule = (...resources: string[]) => ({
    ...{ apiGroups: [""], apiVersions: ["v1"], resources },
    operations: ["CONNECT"],
  });

  /** Configures a webhook for every connection, or several that differ from it. */
  async function configured(kind: "Mutating" | "Validating", ...several: readonly object[]): Promise<string> {
    const path = `${group}/${kind.toLowerCase()}webhookconfigurations`;
    const asked = ["pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "services/proxy", "nodes/proxy"];
    await made(path, {
      metadata: { name: "w" },
      webhooks: (several.length === 0 ? [{}] : several).map((more) => ({
        name: "w.example.com",
        clientConfig: { url: webhooks.url("/"), caBundle: webhooks.caBundle },
        rules: [rule(...asked)],
        ...{ sideEffects: "None", admissionReviewVersions: ["v1"] },
        ...more,
      })),
    });
    return `${path}/w`;
  }

  const answering = (response: object): void =>
    webhooks.react(({ body }) => ({
      json: {
        ...{ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" },
        response: { uid: body.request.uid, ...response },
      },
    }));

  test("a webhook is asked with the options of each connection, and refuses it", async () => {
    const exec = `${pods}/p/exec?container=c&command=sh&stdin=1`;
    assert.equal((await dial(exec)).code, 101);
    const heard = agent.heard.length;
    answering({ allowed: false, status: { code: 403, message: "not here" }, warnings: ["watched"] });
    const path = await configured("Validating");
    await until("the webhook is asked", async () => ((await dial(exec)).code === 403 ? true : undefined));
    const before = agent.heard.length;
    const { code, message, warning } = await dial(exec);
    assert.deepEqual(
      [code, message, warning],
      [403, 'admission webhook "w.example.com" denied the request: not here', '299 - "watched"'],
    );
    const about = webhooks.asked.at(-1)?.body.request ?? {};
    const { uid: _uid, userInfo: _user, ...rest } = Object(about);
    assert.deepEqual(rest, {
      kind: { group: "", version: "v1", kind: "PodExecOptions" },
      resource: { group: "", version: "v1", resource: "pods" },
      subResource: "exec",
      requestKind: { group: "", version: "v1", kind: "PodExecOptions" },
      requestResource: { group: "", version: "v1", resource: "pods" },
      requestSubResource: "exec",
      ...{ name: "p", namespace: "default", operation: "CONNECT" },
      object: {
        ...{ kind: "PodExecOptions", apiVersion: "v1", stdin: true, stdout: true, stderr: true },
        ...{ container: "c", command: ["sh"] },
      },
      ...{ oldObject: null, dryRun: false, options: null },
    });
    for (const [asked, kind, object] of [
      [`${pods}/p/attach?tty=1`, "PodAttachOptions", { stdout: true, stderr: true, tty: true }],
      [`${pods}/p/portforward?ports=80`, "PodPortForwardOptions", { ports: [80] }],
      [`${pods}/p:80/proxy/a//b/?x=1`, "PodProxyOptions", { path: "/a/b/" }],
      ["/api/v1/namespaces/default/services/s:80/proxy", "ServiceProxyOptions", {}],
      ["/api/v1/nodes/n/proxy/metrics", "NodeProxyOptions", { path: "/metrics" }],
    ] as const) {
      assert.equal((await dial(asked)).code, 403, asked);
      const { object: given } = Object(webhooks.asked.at(-1)?.body.request);
      assert.deepEqual(given, { kind, apiVersion: "v1", ...object });
    }
    // A log is no connection, and the agent heard of none of them.
    assert.equal((await http.get(`${pods}/absent/log`)).status, 404);
    assert.equal(agent.heard.length, before);
    assert.ok(before >= heard);
    assert.equal((await http.delete(path)).status, 200);
    await until("the webhook is gone", async () => ((await dial(exec)).code === 101 ? true : undefined));
  });

  test("a webhook that is away refuses where its policy says so", async () => {
    webhooks.react(() => "close");
    const path = await configured("Validating");
    const exec = `${pods}/p/exec?container=c&command=sh`;
    await until("it is refused", async () => ((await dial(exec)).code === 500 ? true : undefined));
    assert.match((await dial(exec)).message, /^Internal error occurred: failed calling webhook "w.example.com": /);
    assert.equal((await http.delete(path)).status, 200);
    await until("the webhook is gone", async () => ((await dial(exec)).code === 101 ? true : undefined));
  });

  test("what a webhook makes of the options is what the agent is asked", async () => {
    const patch = [
      { op: "replace", path: "/container", value: "d" },
      { op: "add", path: "/command/-", value: "-x" },
    ];
    answering({
      ...{ allowed: true, patchType: "JSONPatch" },
      patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
    });
    const path = await configured("Mutating");
    await until("it is changed", async () => {
      assert.equal((await dial(`${pods}/p/exec?container=c&command=sh`)).code, 101);
      return agent.heard.at(-1)?.url === "/exec/default/p/d?command=sh&command=-x&error=1&output=1" ? true : undefined;
    });
    assert.equal((await http.delete(path)).status, 200);
  });

  test("labels select no options: who asks for some is not asked", async () => {
    answering({ allowed: true });
    const chosen = { name: "chosen.example.com", objectSelector: { matchLabels: { app: "x" } } };
    const url = webhooks.url("/chosen");
    const path = await configured("Validating", {}, { ...chosen, clientConfig: { url, caBundle: webhooks.caBundle } });
    const already = webhooks.asked.length;
    await until("the other one is asked", async () => {
      assert.equal((await dial(`${pods}/p/attach?container=c`)).code, 101);
      return webhooks.asked.length > already ? true : undefined;
    });
    assert.deepEqual([...new Set(webhooks.asked.map(({ path: at }) => at))], ["/?timeout=10s"]);
    assert.equal((await http.delete(path)).status, 200);
  });

  test("a policy refuses commands by an expression", async () => {
    const policies = `${group}/validatingadmissionpolicies`;
    await made(policies, {
      metadata: { name: "no-shells" },
      spec: {
        matchConstraints: { resourceRules: [rule("pods/exec")] },
        validations: [
          {
            expression: "request.operation == 'CONNECT' && !('sh' in object.command) && oldObject == null",
            message: "no shells",
          },
        ],
      },
    });
    await made(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name: "no-shells" },
      spec: { policyName: "no-shells", validationActions: ["Deny"] },
    });
    const shell = `${pods}/p/exec?container=c&command=sh`;
    await until("shells are refused", async () => ((await dial(shell)).code === 422 ? true : undefined));
    assert.match((await dial(shell)).message, /ValidatingAdmissionPolicy 'no-shells' .* denied request: no shells$/);
    assert.equal((await dial(`${pods}/p/exec?container=c&command=ls`)).code, 101);
    assert.equal((await dial(`${pods}/p/attach?container=c`)).code, 101);
  });
});
