import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { converse } from "./bad-input-conversation.js";
import { type Server, startServer } from "./command-line-program.js";

const abreast = 100;
const text = (characters: number): string => "X".repeat(characters);

async function dial(t: TestContext, server: Server): Promise<ClientHttp2Session> {
  const session = connect(server.url, { ca: server.ca });
  session.on("error", () => {});
  t.after(() => session.destroy());
  await once(session, "remoteSettings");
  return session;
}

/** Sends a request of nobody with each method; the codes of the answers, each once. */
async function askWith(session: ClientHttp2Session, methods: readonly string[]): Promise<ReadonlySet<number>> {
  const codes = new Set<number>();
  const left = [...methods];
  const one = async (): Promise<void> => {
    for (let method = left.pop(); method !== undefined; method = left.pop()) {
      const stream = session.request({ ":method": method, ":path": "/" });
      const [headers]: { readonly ":status"?: number }[] = await once(stream, "response");
      codes.add(Number(headers?.[":status"]));
      stream.resume();
      await once(stream, "close");
    }
  };
  await Promise.all(Array.from({ length: abreast }, one));
  return codes;
}

const verbsOn = (page: string): ReadonlySet<string> =>
  new Set([...page.matchAll(/^apiserver_request_total\{verb="([^"]*)"/gm)].map(([, verb = ""]) => verb));

const known = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|OTHER)$/;

test("methods that a client of HTTP/2 invents neither fill a metric nor the page of metrics", async (t) => {
  const server = await startServer(t);
  const session = await dial(t, server);
  const long = Array.from({ length: 300 }, (_, i) => `M${i}${text(50_000)}`);
  assert.deepEqual(await askWith(session, long), new Set([400]));
  const short = Array.from({ length: 1_500 }, (_, i) => `M${i}`);
  assert.deepEqual(await askWith(session, short), new Set([403]));
  const page = await server.ask("/metrics");
  assert.equal(page.status, 200);
  const verbs = verbsOn(page.body);
  assert.ok(verbs.has("OTHER"));
  for (const verb of verbs) assert.match(verb, known);
  assert.ok(page.body.length < 1_000_000, `${page.body.length}`);
  assert.doesNotMatch(page.body, /^orch_metric_series_dropped_total\{/m);
});

test("methods of HTTP/1 that we do not know are counted as one, in any case and from anybody", async (t) => {
  const server = await startServer(t);
  for (const method of ["PROPFIND", "M-SEARCH", "PURGE", "get", "MADEUP"]) {
    const { socket, until } = await converse(t, server);
    socket.write(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(/^HTTP\/1\.1 (?:400|403) /);
    socket.destroy();
  }
  const { body } = await server.ask("/metrics");
  const verbs = verbsOn(body);
  assert.ok(verbs.has("OTHER"));
  for (const verb of verbs) assert.match(verb, known);
});

test("the text of a refusal is short whatever is refused", async (t) => {
  const server = await startServer(t);
  const as = { "Impersonate-User": text(20_000) };
  const paths = [`/api/v1/namespaces/${text(15_000)}/pods/${text(15_000)}`, `/${text(30_000)}`];
  for (const path of paths) {
    for (const asked of [{ token: "" }, { headers: as }, {}]) {
      const answer = await server.ask(path, asked);
      assert.ok(answer.status === 403 || answer.status === 404, String(answer.status));
      assert.ok(answer.body.length < 10_000, `${answer.status} with ${answer.body.length}`);
    }
  }
});

/** Who chooses the value of a label: one of a few words of ours, the catalog, a flag or file, a validated object's name. */
const fewWords = /^[A-Za-z_ -]{0,40}$/;
const objectName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const values: Readonly<Record<string, RegExp>> = {
  le: /^(?:\+Inf|[0-9.e-]+)$/,
  verb: new RegExp(`${known.source}|^(?:get|list|watch|create|update|patch|delete|deletecollection)?$`),
  code: /^\d{1,3}$/,
  group: /^[a-z0-9.-]{0,63}$/,
  version: /^(?:v\d+(?:(?:alpha|beta)\d+)?)?$/,
  resource: /^[a-z]{0,63}$/,
  subresource: /^[a-z]{0,63}$/,
  removed_release: /^(?:1\.\d+)?$/,
  deprecated_version: /^(?:1\.\d+)?$/,
  priority_level: objectName,
  flow_schema: objectName,
  // A resource of the catalog, or a word of ours.
  type: /^[A-Za-z][A-Za-z0-9.-]{0,100}$/,
  cidr: /^[0-9a-f.:/]{1,50}$/,
};

/** Every metric of ours with its labels; what node tells of the process has none that a client chooses. */
const metricLabels: Readonly<Record<string, readonly string[]>> = {
  apiserver_authorization_decisions_total: ["type", "name", "decision"],
  apiserver_current_inflight_requests: ["request_kind"],
  apiserver_current_inqueue_requests: ["request_kind"],
  apiserver_flowcontrol_current_executing_requests: ["priority_level", "flow_schema"],
  apiserver_flowcontrol_current_executing_seats: ["priority_level", "flow_schema"],
  apiserver_flowcontrol_current_inqueue_requests: ["priority_level", "flow_schema"],
  apiserver_flowcontrol_current_inqueue_seats: ["priority_level", "flow_schema"],
  apiserver_flowcontrol_current_limit_seats: ["priority_level"],
  apiserver_flowcontrol_demand_seats_high_watermark: ["priority_level"],
  apiserver_flowcontrol_demand_seats_smoothed: ["priority_level"],
  apiserver_flowcontrol_dispatched_requests_total: ["priority_level", "flow_schema"],
  apiserver_flowcontrol_lower_limit_seats: ["priority_level"],
  apiserver_flowcontrol_nominal_limit_seats: ["priority_level"],
  apiserver_flowcontrol_rejected_requests_total: ["priority_level", "flow_schema", "reason"],
  apiserver_flowcontrol_request_execution_seconds: ["priority_level", "flow_schema", "type", "le"],
  apiserver_flowcontrol_request_wait_duration_seconds: ["priority_level", "flow_schema", "execute", "le"],
  apiserver_flowcontrol_upper_limit_seats: ["priority_level"],
  apiserver_flowcontrol_work_estimated_seats: ["priority_level", "flow_schema", "le"],
  apiserver_request_duration_seconds: [
    ...["verb", "group", "version", "resource", "subresource", "scope", "component", "dry_run", "le"],
  ],
  apiserver_request_total: [
    ...["verb", "group", "version", "resource", "subresource", "scope", "component", "code", "dry_run"],
  ],
  apiserver_requested_deprecated_apis: ["group", "version", "resource", "subresource", "removed_release"],
  apiserver_tls_reloads_total: ["files", "result"],
  authentication_attempts: ["result"],
  controller_errors_total: ["controller"],
  etcd_request_duration_seconds: ["operation", "type", "le"],
  etcd_request_errors_total: ["operation", "type"],
  etcd_requests_total: ["operation", "type"],
  garbage_collector_deletions_total: ["resource"],
  kube_apiserver_clusterip_allocator_allocated_ips: ["cidr"],
  kube_apiserver_clusterip_allocator_allocation_errors_total: ["cidr", "scope"],
  kube_apiserver_clusterip_allocator_allocation_total: ["cidr", "scope"],
  kube_apiserver_clusterip_allocator_available_ips: ["cidr"],
  kube_apiserver_nodeport_allocator_allocation_errors_total: ["scope"],
  kube_apiserver_nodeport_allocator_allocation_total: ["scope"],
  kubernetes_feature_enabled: ["name", "stage"],
  orch_gateway_watch_delivery_duration_seconds: ["le"],
  orch_eventloop_blocked_total: ["verb", "group", "resource"],
  orch_eventloop_lag_seconds: ["le"],
  orch_metric_series_dropped_total: ["metric"],
  orch_store_request_duration_seconds: ["operation", "le"],
  orch_store_request_errors_total: ["operation"],
  registered_metrics_total: ["stability_level", "deprecated_version"],
  workqueue_adds_total: ["name"],
  workqueue_depth: ["name"],
  workqueue_queue_duration_seconds: ["name", "le"],
  workqueue_retries_total: ["name"],
  workqueue_work_duration_seconds: ["name", "le"],
};

/** Each of our samples that has labels: its metric, without the suffix of a histogram, and its labels. */
function samplesOf(page: string): readonly { readonly metric: string; readonly labels: readonly [string, string][] }[] {
  return [...page.matchAll(/^(\w+)\{(.*)\} /gm)]
    .map(([, name = "", text = ""]) => ({
      metric: Object.hasOwn(metricLabels, name) ? name : name.replace(/_(?:bucket|sum|count)$/, ""),
      labels: [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, of = "", value = ""]): [string, string] => [
        of,
        value,
      ]),
    }))
    .filter(({ metric }) => !/^(?:nodejs|process)_/.test(metric));
}

test("every label of every metric is one that this table knows, with a value of its set, whatever clients send", async (t) => {
  const server = await startServer(t);
  const odd = ["zzz", "%00", "__proto__", text(5_000), "a%22b", "UPPER", "a.b.c"];
  const json = { "Content-Type": "application/json", "User-Agent": text(3_000), "Impersonate-User": text(3_000) };
  for (const word of odd) {
    for (const path of [
      `/${word}`,
      `/api/${word}`,
      `/apis/${word}/v1/${word}`,
      `/api/v1/namespaces/${word}/${word}/${word}`,
    ]) {
      await server.ask(path);
      await server.ask(`${path}?dryRun=${word}&fieldManager=${word}`, { method: "POST", headers: json, body: "{}" });
    }
    await server.ask(`/api/v1/namespaces/default/configmaps/a/${word}?dryRun=${word}`, { method: "PUT", body: "{}" });
    await server.ask("/api/v1/pods", { token: word.replaceAll("%", "") });
  }
  const { body } = await server.ask("/metrics");
  const samples = samplesOf(body);
  assert.ok(samples.length > 300);
  for (const { metric, labels } of samples) {
    const expected = metricLabels[metric];
    assert.ok(expected, `${metric} is not in the table: say who chooses its labels`);
    for (const [label, value] of labels) {
      assert.ok(expected.includes(label), `${metric} has a label ${label} that the table does not`);
      // Words of ours where the table says nothing else: flags, gates, queues, reasons.
      assert.match(
        value,
        values[label] ?? (label === "name" || label === "metric" ? /^[\w.-]{0,100}$/ : fewWords),
        `${metric}{${label}}`,
      );
    }
  }
});
