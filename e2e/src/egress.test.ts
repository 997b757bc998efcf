import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createEgress } from "@orch/outbound/egress/egress.js";
import { type Credentials, connect, type Http } from "./harness/http.js";
import {
  type AccessWebhook,
  allow,
  configuration,
  hook,
  startAccessWebhook,
} from "./harness/servers/access-webhook.js";
import { type ConnectProxy, startConnectProxy } from "./harness/servers/connect-proxy.js";
import { type Konnectivity, startKonnectivity } from "./harness/servers/konnectivity.js";
import { done } from "./harness/status.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const naming = createNaming("kubernetes");
const configMaps = "/api/v1/namespaces/default/configmaps";
const kubeSystem = "/api/v1/namespaces/kube-system/configmaps";
const bob: Credentials = { type: "user", name: "bob", groups: [] };

let folder: string;
let webhook: AccessWebhook;
let proxy: ConnectProxy;
let konnectivity: Konnectivity | string;

before(async () => {
  folder = await newFolder();
  webhook = await startAccessWebhook(naming);
  webhook.replies.set("bob", allow);
  proxy = await startConnectProxy(join(folder, "proxy.sock"));
  konnectivity = await startKonnectivity(folder);
});

after(async () => {
  if (typeof konnectivity === "object") await konnectivity.stop();
  proxy.close();
  await webhook.close();
  await removeFolder(folder);
});

/** A server whose connections leave as these selections say, by name. */
async function startWith(selections: Readonly<Record<string, object>>): Promise<StandaloneTarget> {
  const egress = join(folder, "egress.json");
  const chain = join(folder, "authorization.json");
  await writeFile(
    egress,
    JSON.stringify({
      apiVersion: "apiserver.k8s.io/v1beta1",
      kind: "EgressSelectorConfiguration",
      egressSelections: Object.entries(selections).map(([name, connection]) => ({ name, connection })),
    }),
  );
  const fields = {
    authorizedTTL: "1ms",
    matchConditionSubjectAccessReviewVersion: "v1",
    matchConditions: [{ expression: "request.resourceAttributes.namespace == 'default'" }],
    failurePolicy: "NoOpinion",
  };
  const authorizers = [hook({ name: "hook", webhook, fields }), { type: "RBAC", name: "rbac" }];
  await writeFile(chain, configuration(authorizers));
  return startStandalone({
    etcd: true,
    args: ["--secure-port=0", `--authorization-config=${chain}`, `--egress-selector-config-file=${egress}`],
  });
}

async function metricsOf(http: Http): Promise<string> {
  return (await done(http.get("/metrics"))).text;
}

test("store and webhooks are reached by an HTTP proxy alone, and match conditions say who is asked", async () => {
  const through = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: join(folder, "proxy.sock") } } };
  const target = await startWith({ etcd: through, controlplane: through });
  const http = connect(target);
  try {
    assert.equal((await http.call({ path: configMaps, as: bob })).status, 200);
    assert.equal((await http.call({ path: kubeSystem, as: bob })).status, 403);
    assert.equal((await http.call({ path: "/metrics", as: bob })).status, 403);
    const hosts = new Set(proxy.asked);
    assert.deepEqual(hosts, new Set([new URL(webhook.url).host, new URL(target.etcd?.endpoints[0] ?? "").host]));
    const metrics = await metricsOf(http);
    for (const line of [
      /^apiserver_egress_dialer_dial_start_total\{protocol="http_connect",transport="uds"\} [1-9]/m,
      /^apiserver_egress_dialer_dial_duration_seconds_count\{protocol="http_connect",transport="uds"\} [1-9]/m,
      /^apiserver_authorization_match_condition_evaluation_seconds_count\{type="Webhook",name="hook"\} [1-9]/m,
      /^apiserver_authorization_match_condition_exclusions_total\{type="Webhook",name="hook"\} [1-9]/m,
      /^apiserver_authorization_match_condition_evaluation_errors_total\{type="Webhook",name="hook"\} [1-9]/m,
    ]) {
      assert.match(metrics, line);
    }
  } finally {
    http.close();
    await target.stop();
  }
});

test("webhooks are reached through a konnectivity server that others wrote", async (t) => {
  if (typeof konnectivity === "string") return t.skip(konnectivity);
  const { socketPath } = konnectivity;
  const target = await startWith({
    controlplane: { proxyProtocol: "GRPC", transport: { uds: { udsName: socketPath } } },
  });
  const http = connect(target);
  try {
    await until("the agent has come", async () => {
      const { status } = await http.call({ path: configMaps, as: bob });
      return status === 200 ? true : undefined;
    });
    assert.match(
      await metricsOf(http),
      /^apiserver_egress_dialer_dial_start_total\{protocol="grpc",transport="uds"\} [1-9]/m,
    );
  } finally {
    http.close();
    await target.stop();
  }
});

test("a konnectivity tunnel carries what it is given, and tells what it cannot reach", async (t) => {
  if (typeof konnectivity === "string") return t.skip(konnectivity);
  const { socketPath } = konnectivity;
  const egress = createEgress(new Map([["cluster", { protocol: "GRPC", socketPath }]]), {
    observer: { started: () => {}, dialed: () => {}, failed: () => {} },
    monotonic: () => performance.now(),
  });
  const dial = egress.dial("cluster");
  const server = createServer((socket) => void socket.pipe(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const to = { host: "127.0.0.1", port: address.port };
  try {
    const socket = await until("the agent has come", () => dial(to, AbortSignal.timeout(5_000)).catch(() => undefined));
    const sent = Buffer.alloc(4 << 20, "orch");
    const parts: Buffer[] = [];
    let length = 0;
    const whole = new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("data", (part: Buffer) => {
        parts.push(part);
        length += part.length;
        if (length >= sent.length) resolve();
      });
    });
    socket.write(sent);
    await whole;
    assert.ok(Buffer.concat(parts).equals(sent));
    socket.destroy();
    server.close();
    await once(server, "close");
    await assert.rejects(dial(to, AbortSignal.timeout(10_000)), /refused/);
  } finally {
    server.close();
  }
});
