import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { type Collector, outlineOf, type SpanTree, startCollector, treesOf } from "@orch/tracing/testing/collector.js";
import { type Answer, type Call, connect, type Http } from "./harness/http.js";
import { startAccessWebhook } from "./harness/servers/access-webhook.js";
import { startConnectProxy } from "./harness/servers/connect-proxy.js";
import { startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string };
}

/** Sampled by the client alone: what nobody asks for is not in the collector. */
const configuration = (endpoint: string): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "TracingConfiguration", endpoint });

interface Place {
  readonly name: string;
  readonly skip: string | false;
  readonly start: (tracingConfigFile: string) => Promise<Target>;
}

const places: readonly Place[] = [
  {
    name: "standalone",
    skip: false,
    start: (file) => startStandalone({ args: [`--tracing-config-file=${file}`] }),
  },
  {
    name: "gateway workers",
    skip: false,
    start: (file) => startStandalone({ args: [`--tracing-config-file=${file}`, "--gateway-workers=1"] }),
  },
  {
    name: "services of their own",
    skip: etcdMissing() ?? false,
    start: (file) => startDistributed({ tracingConfigFile: file }),
  },
];

const events = ({ events: all }: SpanTree): readonly string[] => all.map(({ name }) => name);

function only(trees: readonly SpanTree[]): SpanTree {
  const [tree] = trees;
  assert.ok(tree !== undefined && trees.length === 1, `one tree: ${outlineOf(trees)}`);
  return tree;
}

/** A span of the tree by its name. */
function find(tree: SpanTree, name: string): SpanTree {
  const among = (trees: readonly SpanTree[]): SpanTree | undefined => {
    for (const one of trees) {
      const found = one.name === name ? one : among(one.children);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return among([tree]) ?? assert.fail(`no span ${name} in ${outlineOf([tree])}`);
}

const answering = "SerializeObject";

interface Row {
  readonly what: string;
  readonly call: Call;
  readonly status: number;
  /** Of the spans below the request's. */
  readonly outline: string;
  readonly name: string;
  /** Of the handler. */
  readonly events: readonly string[];
}

const maps = "/api/v1/namespaces/default/configmaps";
const template = "/api/v1/namespaces/{:namespace}/configmaps";

const rows: readonly Row[] = [
  {
    what: "a create through a webhook",
    call: { method: "POST", path: maps, body: { metadata: { name: "a" }, data: { a: "b" } } },
    status: 201,
    name: `POST ${template}`,
    outline: `authentication (Create (Call validating webhook; Create etcd3; ${answering}))`,
    events: [
      "limitedReadBody succeeded",
      "About to convert to expected version",
      "Conversion done",
      "About to store object in database",
      "Write to database call succeeded",
      "About to write a response",
      "Writing http response done",
    ],
  },
  {
    what: "a get",
    call: { path: `${maps}/a` },
    status: 200,
    name: `GET ${template}/{:name}`,
    outline: `authentication (Get (cacher.Get; ${answering}))`,
    events: ["About to Get from storage", "About to write a response", "Writing http response done"],
  },
  {
    what: "a list",
    call: { path: `${maps}?limit=5` },
    status: 200,
    name: `GET ${template}`,
    outline: `authentication (List (cacher.GetList; ${answering}))`,
    events: ["About to List from storage", "Listing from storage done", "Writing http response done"],
  },
  {
    what: "a patch",
    call: {
      method: "PATCH",
      path: `${maps}/a`,
      body: JSON.stringify({ data: { a: "c" } }),
      headers: { "content-type": "application/merge-patch+json" },
    },
    status: 200,
    name: `PATCH ${template}/{:name}`,
    outline: `authentication (Patch (GuaranteedUpdate etcd3; ${answering}))`,
    events: [
      "limitedReadBody succeeded",
      "About to apply patch",
      "Object stored in database",
      "About to write a response",
      "Writing http response done",
    ],
  },
  {
    what: "an update that is refused",
    call: { method: "PUT", path: `${maps}/a`, body: { metadata: { name: "a" }, data: { "a b": "c" } } },
    status: 422,
    name: `PUT ${template}/{:name}`,
    outline: `authentication (Update (GuaranteedUpdate etcd3; ${answering}))`,
    events: [
      "limitedReadBody succeeded",
      "About to convert to expected version",
      "Conversion done",
      "About to store object in database",
      "Write to database call failed",
    ],
  },
  {
    what: "a get of what is not there",
    call: { path: `${maps}/nope` },
    status: 404,
    name: `GET ${template}/{:name}`,
    outline: `authentication (Get (cacher.Get; ${answering}))`,
    events: ["About to Get from storage"],
  },
  {
    what: "a deletion",
    call: { method: "DELETE", path: `${maps}/a` },
    status: 200,
    name: `DELETE ${template}/{:name}`,
    outline: `authentication (Delete (cacher.Get; ${answering}))`,
    events: [
      "limitedReadBody succeeded",
      "About to delete object from database",
      "Object deleted from database",
      "About to write a response",
      "Writing http response done",
    ],
  },
];

for (const place of places) {
  describe(`tracing: ${place.name}`, { skip: place.skip }, () => {
    let folder: string;
    let collector: Collector;
    let target: Target;
    let http: Http;
    let webhook: WebhookServer<Review>;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "orch-tracing-"));
      collector = await startCollector();
      const file = join(folder, "tracing.yaml");
      await writeFile(file, configuration(collector.address));
      webhook = await startWebhookServer<Review>();
      webhook.react(({ body: { kind, apiVersion, request } }) => ({
        json: { kind, apiVersion, response: { uid: request.uid, allowed: true } },
      }));
      target = await place.start(file);
      http = connect(target);
      const made = await http.post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        metadata: { name: "v" },
        webhooks: [
          {
            name: "v.example.com",
            clientConfig: { url: webhook.url("/ok"), caBundle: webhook.caBundle },
            rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
            namespaceSelector: { matchLabels: { [target.naming.key("metadata.name")]: "default" } },
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
          },
        ],
      });
      assert.equal(made.status, 201, made.text);
      await until("the webhook is asked", async () => {
        await http.post(maps, { metadata: { name: "probe" } }, { dryRun: "All" });
        return webhook.asked.length > 0 || undefined;
      });
      webhook.asked.length = 0;
    });
    after(async () => {
      http?.close();
      await target?.stop();
      await webhook?.close();
      collector?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    async function traced(call: Call, flags = "01"): Promise<{ readonly answer: Answer; readonly traceId: string }> {
      const traceId = randomBytes(16).toString("hex");
      const traceparent = `00-${traceId}-${randomBytes(8).toString("hex")}-${flags}`;
      const headers = { "user-agent": "client/1.0", ...call.headers, traceparent, tracestate: "a=b" };
      return { answer: await http.call({ ...call, headers }), traceId };
    }

    /** The whole trace: of other processes spans come later. */
    async function treeOf(traceId: string, count: number): Promise<SpanTree> {
      const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
      await collector.until(() => ofTrace().length >= count);
      return only(treesOf(collector.spans, traceId));
    }

    for (const row of rows) {
      test(`${row.what} is one trace with the spans of the reference`, async () => {
        const { answer, traceId } = await traced(row.call);
        assert.equal(answer.status, row.status, answer.text);
        const spans = row.outline.split(/[;(]/).length + 1;
        const tree = await treeOf(traceId, spans);
        assert.equal(tree.name, row.name);
        assert.equal(tree.kind, "SERVER");
        // What is within a span is in the order in which it ended, which between processes is anyone's.
        const inOrder = outlineOf(sorted(tree.children));
        assert.equal(inOrder, row.outline);
        assert.equal(tree.attributes["http.status_code"], row.status);
        assert.equal(tree.attributes["user_agent.original"], "client/1.0");
        const [authentication] = tree.children;
        const handler = authentication?.children[0] ?? assert.fail("no handler");
        assert.deepEqual(events(handler), row.events);
        assert.equal(handler.attributes["audit-id"], answer.headers["audit-id"]);
      });
    }

    test("a webhook is told of the trace, with its own span as the parent", async () => {
      webhook.asked.length = 0;
      const { answer, traceId } = await traced({ method: "POST", path: maps, body: { metadata: { name: "w" } } });
      assert.equal(answer.status, 201, answer.text);
      const tree = await treeOf(traceId, 6);
      const { attributes } = find(tree, "Call validating webhook");
      assert.equal(attributes["webhook"], "v.example.com");
      assert.equal(attributes["configuration"], "v");
      assert.equal(attributes["resource"], "/v1, Resource=configmaps");
      const call = collector.spans.find((span) => span.traceId === traceId && span.name === "Call validating webhook");
      const { headers } = webhook.asked[0] ?? assert.fail("the webhook was not asked");
      assert.equal(headers["traceparent"], `00-${traceId}-${call?.spanId}-01`);
      assert.equal(headers["tracestate"], "a=b");
      await http.delete(`${maps}/w`);
    });

    test("what its sender does not want to be traced is not, and others hear so", async () => {
      webhook.asked.length = 0;
      const { answer, traceId } = await traced(
        { method: "POST", path: maps, body: { metadata: { name: "u" } }, query: { dryRun: "All" } },
        "00",
      );
      assert.equal(answer.status, 201, answer.text);
      const { headers } = webhook.asked[0] ?? assert.fail("the webhook was not asked");
      assert.match(String(headers["traceparent"]), new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
      // Another one passes the collector after it.
      const later = await traced({ path: "/version" });
      const tree = await treeOf(later.traceId, 2);
      assert.equal(outlineOf([tree]), "GET (authentication)");
      assert.deepEqual(treesOf(collector.spans, traceId), []);
    });

    test("headers that are no context begin nothing and break nothing", async () => {
      const id = "a".repeat(32);
      const hostile = [
        "",
        "00",
        `00-${id}-${"b".repeat(16)}-01-more`,
        `ff-${id}-${"b".repeat(16)}-01`,
        `00-${"0".repeat(32)}-${"b".repeat(16)}-01`,
        `00-${id}-${"0".repeat(16)}-01`,
        `00-${id.toUpperCase()}-${"b".repeat(16)}-01`,
        "-".repeat(10_000),
      ];
      for (const traceparent of hostile) {
        const answer = await http.call({ path: "/version", headers: { traceparent, tracestate: "x".repeat(5000) } });
        assert.equal(answer.status, 200, traceparent);
      }
      const { traceId } = await traced({ path: "/version" });
      await treeOf(traceId, 2);
      assert.deepEqual(
        collector.spans.filter((span) => span.traceId === id),
        [],
      );
    });

    test("requests of one trace to several gateways are one trace", async (t) => {
      if (target.urls.length < 2) return t.skip("there is one gateway");
      const traceId = randomBytes(16).toString("hex");
      for (const gateway of target.urls.keys()) {
        const one = connect(target, { gateway });
        const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString("hex")}-01` };
        assert.equal((await one.call({ path: maps, headers })).status, 200);
        one.close();
      }
      const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
      await collector.until(() => ofTrace().length >= 10);
      const trees = treesOf(collector.spans, traceId);
      const each = `GET ${template} (authentication (List (${answering}; cacher.GetList)))`;
      assert.deepEqual(
        trees.map((tree) => outlineOf([{ ...tree, children: byName(tree.children) }])),
        [each, each],
      );
    });

    test("a request is linked to the trace of its client", async () => {
      const { traceId } = await traced({ path: "/healthz" });
      await treeOf(traceId, 2);
      const root = collector.spans.find((span) => span.traceId === traceId && span.kind === "SERVER");
      assert.deepEqual(root?.links, [traceId]);
    });
  });
}

interface Conversion {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly object[] };
}

test("webhooks that know users, rights and versions are part of the trace, as large writes are; spans leave by the egress configuration", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "orch-tracing-"));
  const collector = await startCollector();
  const access = await startAccessWebhook(createNaming("kubernetes"));
  const converter = await startWebhookServer<Conversion>();
  converter.react(({ body: { kind, apiVersion, request } }) => {
    const convertedObjects = request.objects.map((one) => ({ ...one, apiVersion: request.desiredAPIVersion }));
    return {
      json: { kind, apiVersion, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } },
    };
  });
  const proxy = await startConnectProxy(join(folder, "proxy.sock"));
  const [tracing, egress] = [join(folder, "tracing.yaml"), join(folder, "egress.json")];
  await writeFile(tracing, configuration(collector.address));
  const transport = { uds: { udsName: join(folder, "proxy.sock") } };
  await writeFile(
    egress,
    JSON.stringify({
      apiVersion: "apiserver.k8s.io/v1beta1",
      kind: "EgressSelectorConfiguration",
      egressSelections: [{ name: "controlplane", connection: { proxyProtocol: "HTTPConnect", transport } }],
    }),
  );
  const target = await startStandalone({
    args: [
      `--tracing-config-file=${tracing}`,
      `--egress-selector-config-file=${egress}`,
      `--authentication-token-webhook-config-file=${access.configFile}`,
      "--authentication-token-webhook-version=v1",
      "--authorization-mode=RBAC,Webhook",
      `--authorization-webhook-config-file=${access.configFile}`,
      "--authorization-webhook-version=v1",
    ],
  });
  const http = connect(target);
  t.after(async () => {
    http.close();
    await target.stop();
    proxy.close();
    await converter.close();
    await access.close();
    collector.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const traced = async (call: Call, spans: number) => {
    const traceId = randomBytes(16).toString("hex");
    const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString("hex")}-01` };
    const answer = await http.call({ ...call, headers: { ...call.headers, ...headers } });
    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
    await collector.until(() => ofTrace().length >= spans);
    return { answer, traceId, tree: only(treesOf(collector.spans, traceId)), spans: ofTrace() };
  };

  await t.test("whose a token is, and what its user may do", async () => {
    access.replies.set("ann-token", { status: { authenticated: true, user: { username: "ann", groups: ["g"] } } });
    access.replies.set("ann", { status: { allowed: true } });
    const { answer, traceId, tree, spans } = await traced(
      { path: `${maps}?limit=1`, as: { type: "token", token: "ann-token" } },
      7,
    );
    assert.equal(answer.status, 200, answer.text);
    const [authentication] = tree.children;
    assert.deepEqual(authentication?.children.map(({ name }) => name).sort(), ["HTTP POST", "HTTP POST", "List"]);
    const calls = spans.filter(({ name }) => name === "HTTP POST").map((span) => `00-${traceId}-${span.spanId}-01`);
    const asked = [...access.askedOf("ann-token"), ...access.askedOf("ann")].map((one) => one.headers["traceparent"]);
    assert.deepEqual(asked.toSorted(), calls.toSorted());
    const { attributes } = find(tree, "HTTP POST");
    assert.equal(attributes["http.url"], access.url.split("?")[0]);
    assert.equal(attributes["http.status_code"], 200);
  });

  await t.test("what a webhook converts", async () => {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const clientConfig = { url: converter.url("/convert"), caBundle: converter.caBundle };
    const made = await http.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "convs.conv.example.com" },
      spec: {
        ...{ group: "conv.example.com", scope: "Namespaced" },
        names: { plural: "convs", kind: "Conv", singular: "conv", listKind: "ConvList" },
        versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
        conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
      },
    });
    assert.equal(made.status, 201, made.text);
    const at = (version: string): string => `/apis/conv.example.com/${version}/namespaces/default/convs`;
    await until("both versions are served", async () => (await http.get(at("v2"))).status === 200 || undefined);
    const body = { apiVersion: "conv.example.com/v2", kind: "Conv", metadata: { name: "a" } };
    const written = await traced({ method: "POST", path: at("v2"), body }, 6);
    assert.equal(written.answer.status, 201, written.answer.text);
    const names = (tree: SpanTree): string => outlineOf(sorted(tree.children));
    assert.match(names(written.tree), /Create \(.*Call conversion webhook/);
    const parents = written.spans
      .filter(({ name }) => name === "Call conversion webhook")
      .map((span) => `00-${written.traceId}-${span.spanId}-01`);
    const told = converter.asked.map(({ headers }) => headers["traceparent"]).filter((one) => one !== undefined);
    assert.deepEqual(told.toSorted(), parents.toSorted());
    const { attributes } = find(written.tree, "Call conversion webhook");
    assert.equal(attributes["custom-resource-definition"], "convs.conv.example.com");
    await http.patch(`${at("v1")}/a`, "merge", { x: 1 });
    const read = await traced({ path: `${at("v2")}/a` }, 6);
    assert.equal(read.answer.status, 200, read.answer.text);
    assert.equal(names(read.tree), `authentication (Get (cacher.Get (Call conversion webhook); ${answering}))`);
  });

  await t.test("a write that goes to the thread", async () => {
    const body = { metadata: { name: "large" }, data: { a: "x".repeat(300_000) } };
    const { answer, tree } = await traced({ method: "POST", path: maps, body }, 5);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(outlineOf(tree.children), `authentication (Create (Create etcd3; ${answering}))`);
    assert.ok(events(find(tree, "Create")).includes("About to store object in database"));
    assert.ok(events(find(tree, "Create etcd3")).length > 0);
  });

  await t.test("the collector was reached through the proxy", () => {
    assert.ok(proxy.asked.includes(collector.address), proxy.asked.join(" "));
  });
});

function byName(trees: readonly SpanTree[]): readonly SpanTree[] {
  return trees.map((tree) => ({ ...tree, children: byName(tree.children) })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** By name, and the answer last, as the reference ends them. */
function sorted(trees: readonly SpanTree[]): readonly SpanTree[] {
  const rank = ({ name }: SpanTree): string => (name === answering ? "~" : name);
  return trees
    .map((tree) => ({ ...tree, children: sorted(tree.children) }))
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
