import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createTelemetry } from "@orch/service-proxy/telemetry.js";
import { connect, type Http } from "./harness/http.js";
import { type PageMetric, readPage } from "./harness/metrics-page.js";
import { startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

interface Reference {
  readonly type: string;
  readonly stability?: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  /** Only in a newer release than the one that is served. */
  readonly since?: string;
}

const reference: Readonly<Record<string, Reference>> = JSON.parse(
  readFileSync(new URL("../data/reference-metrics.json", import.meta.url), "utf8"),
);

/** Metrics of the reference that are not here, by the reason. Of a newer release none has to be. */
const absent: Readonly<Record<string, readonly string[]>> = {
  "calls of expressions in ratcheting are part of validating, which is not timed by itself": [
    "apiextensions_apiserver_validation_ratcheting_seconds",
  ],
  "documents are made when they are asked for, not with each change of a definition": [
    "apiextensions_openapi_v2_regeneration_count",
    "apiextensions_openapi_v3_regeneration_count",
  ],
  "the quantiles of a summary cannot be joined over processes; the histogram of the same name tells more": [
    "apiserver_admission_step_admission_duration_seconds_summary",
  ],
  "indexes give what is asked for: objects that were passed over are not counted": [
    "apiserver_cache_list_fetched_objects_total",
  ],
  "who shares seats is decided by other figures here (docs/flow-control.md)": [
    "apiserver_flowcontrol_read_vs_write_current_requests",
    "apiserver_flowcontrol_seat_fair_frac",
  ],
  "deprecated since 1.27 and gone here by the rules of hidden metrics": ["apiserver_request_slo_duration_seconds"],
  "a request whose time is over has no handler that goes on": ["apiserver_request_post_timeout_total"],
  "times of the reference's own code paths": ["apiserver_request_timestamp_comparison_time"],
  "the server asks itself nothing over the network": ["apiserver_selfrequest_total"],
  "deprecated in the reference for apiserver_storage_size_bytes": ["apiserver_storage_db_total_size_in_bytes"],
  "TLS takes no certificate without names, and none that is signed with SHA-1": [
    "apiserver_webhooks_x509_insecure_sha1_total",
    "apiserver_webhooks_x509_missing_san_total",
  ],
  "no allow lists of labels: their values are closed sets": [
    "cardinality_enforcement_unexpected_categorizations_total",
  ],
  "stores of ours tell of progress by revisions, without an event for each kind": ["etcd_bookmark_counts"],
  "services talk by frames on few streams, of which there are no counts by method": [
    "grpc_client_handled_total",
    "grpc_client_msg_received_total",
    "grpc_client_msg_sent_total",
    "grpc_client_started_total",
  ],
  "node does not tell of it": ["process_virtual_memory_max_bytes"],
  "the history of the watch cache is bounded in bytes and time, not in events": [
    "watch_cache_capacity",
    "watch_cache_capacity_decrease_total",
    "watch_cache_capacity_increase_total",
  ],
  "part of audit, encryption and key management": Object.keys(reference).filter((name) =>
    /^apiserver_(?:audit|envelope_encryption|encryption_config|storage_(?:transformation|data_key|envelope))_/.test(
      name,
    ),
  ),
};

/** What differs on purpose. */
const differing: Readonly<Record<string, string>> = {
  etcd_request_duration_seconds: "group and resource are labels of a newer release",
  etcd_request_errors_total: "group and resource are labels of a newer release",
  etcd_requests_total: "group and resource are labels of a newer release",
  apiserver_validating_admission_policy_check_duration_seconds: "nothing is told before a validation fails",
};

const excepted = new Set([...Object.values(absent).flat()]);

/** Names in the queries of public dashboards and alerts for API servers and controller managers. */
const queried = [
  // kubernetes-mixin: rules and alerts of the API server, its dashboard, that of controller managers, system alerts
  "apiserver_request_total",
  "apiserver_request_duration_seconds_bucket",
  "apiserver_request_sli_duration_seconds_bucket",
  "apiserver_request_sli_duration_seconds_count",
  "apiserver_request_terminations_total",
  "apiserver_client_certificate_expiration_seconds_bucket",
  "apiserver_client_certificate_expiration_seconds_count",
  "aggregator_unavailable_apiservice",
  "aggregator_unavailable_apiservice_total",
  "workqueue_adds_total",
  "workqueue_depth",
  "workqueue_queue_duration_seconds_bucket",
  "rest_client_requests_total",
  "rest_client_request_duration_seconds_bucket",
  "process_resident_memory_bytes",
  "process_cpu_seconds_total",
  "kubernetes_build_info",
  // other public dashboards of API servers
  "apiserver_admission_controller_admission_duration_seconds_bucket",
  "apiserver_admission_step_admission_duration_seconds_bucket",
  "apiserver_admission_webhook_admission_duration_seconds_bucket",
  "apiserver_admission_webhook_rejection_count",
  "apiserver_current_inflight_requests",
  "apiserver_flowcontrol_current_inqueue_requests",
  "apiserver_flowcontrol_dispatched_requests_total",
  "apiserver_flowcontrol_request_wait_duration_seconds_bucket",
  "apiserver_longrunning_requests",
  "apiserver_requested_deprecated_apis",
  "apiserver_response_sizes_bucket",
  "apiserver_storage_objects",
  "apiserver_storage_size_bytes",
  "apiserver_watch_events_sizes_bucket",
  "apiserver_watch_events_total",
  "authenticated_user_requests",
  "authentication_attempts",
  "etcd_request_duration_seconds_bucket",
  "process_open_fds",
  "process_start_time_seconds",
  "workqueue_longest_running_processor_seconds",
  "workqueue_retries_total",
  "workqueue_unfinished_work_seconds",
  "workqueue_work_duration_seconds_bucket",
];

/** Counted when a server of others goes away that was there (aggregation.test.ts sees that): it is known here, and at 0. */
const afterFailures: ReadonlySet<string> = new Set(["aggregator_unavailable_apiservice_total"]);

/** Queried too, and nothing that could be here. */
const notQueried: Readonly<Record<string, string>> = {
  go_goroutines: "there are none",
  etcd_helper_cache_entry_total: "the reference has none since 1.14",
  etcd_helper_cache_hit_total: "the reference has none since 1.14",
  etcd_helper_cache_miss_total: "the reference has none since 1.14",
  etcd_request_cache_get_duration_seconds_bucket: "the reference has none since 1.14",
  etcd_request_cache_add_duration_seconds_bucket: "the reference has none since 1.14",
};

let target: Target;
let http: Http;
let webhook: WebhookServer<{ readonly kind: string; readonly apiVersion: string; readonly request: { uid: string } }>;
let text = "";
let page: ReadonlyMap<string, PageMetric>;

before(async () => {
  target = await startStandalone({ args: ["--emulated-version=1.31"] });
  http = connect(target);
  webhook = await startWebhookServer();
  await traffic();
  // Much of it is counted a moment after what it counts; what is missing still is told by the tests.
  await until("all that is queried is counted", async () => {
    text = (await http.get("/metrics")).text;
    page = readPage(text);
    return queried.every(isThere) || undefined;
  }).catch(() => {});
});
after(async () => {
  http.close();
  await target.stop();
  await webhook.close();
});

const maps = "/api/v1/namespaces/default/configmaps";

/** A bit of everything that is counted. */
async function traffic(): Promise<void> {
  await http.post("/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: "v1.away.example.com" },
    spec: {
      ...{ group: "away.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 10 },
      service: { namespace: "default", name: "away" },
    },
  });
  webhook.react(({ body: { kind, apiVersion, request } }) => ({
    json: { kind, apiVersion, response: { uid: request.uid, allowed: false } },
  }));
  const made = await http.post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
    metadata: { name: "v" },
    webhooks: [
      {
        name: "v.example.com",
        clientConfig: { url: webhook.url("/ok"), caBundle: webhook.caBundle },
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        objectSelector: { matchLabels: { refused: "yes" } },
        matchConditions: [{ name: "named", expression: "object.metadata.name != 'other'" }],
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
      },
    ],
  });
  assert.equal(made.status, 201, made.text);
  const watch = await http.watch(maps);
  assert.equal((await http.post(maps, { metadata: { name: "a" } })).status, 201);
  await until("the webhook is asked", async () => {
    await http.post(maps, { metadata: { name: "b", labels: { refused: "yes" } } });
    return webhook.asked.length > 0 || undefined;
  });
  await http.post(maps, { metadata: { name: "other", labels: { refused: "yes" } } });
  await http.get(maps);
  await http.get(`${maps}/a`);
  await http.call({ path: `${maps}/a`, as: { type: "certificate" } });
  await http.get("/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas");
  // A version that does not come in time: the server gives up.
  assert.equal((await http.get(`${maps}/a`, { resourceVersion: "999999999" })).status, 504);
  await watch.take(1);
  await until("a server of others that is away", async () =>
    (await http.get("/metrics")).text.includes("aggregator_unavailable_apiservice{") ? true : undefined,
  );
}

test("each metric of the reference is here, or is missing for a reason", () => {
  const missing = Object.entries(reference).filter(([name, { since }]) => since === undefined && !page.has(name));
  assert.deepEqual(
    missing.map(([name]) => name).filter((name) => !excepted.has(name)),
    [],
  );
});

test("a reason is given for what is missing, and for nothing else", () => {
  const encrypted = new Set(absent["part of audit, encryption and key management"]);
  assert.deepEqual(
    [...excepted].filter((name) => !encrypted.has(name) && (page.has(name) || reference[name] === undefined)),
    [],
  );
});

for (const [name, expected] of Object.entries(reference)) {
  if (excepted.has(name)) continue;
  test(`${name} is what it is in the reference`, () => {
    const metric = page.get(name);
    if (metric === undefined) {
      assert.notEqual(expected.since, undefined);
      return;
    }
    assert.equal(metric.type, expected.type);
    // Those of the process itself have none, there and here.
    assert.equal(metric.stability, expected.stability);
    if (metric.labels === undefined || differing[name] !== undefined) return;
    assert.deepEqual(metric.labels, [...expected.labels].sort());
    if (expected.buckets !== undefined) assert.deepEqual(metric.buckets, expected.buckets);
  });
}

function isThere(name: string): boolean {
  const has = (line: string): boolean => line.startsWith(`${name}{`) || line.startsWith(`${name} `);
  return (afterFailures.has(name) && page.has(name)) || text.split("\n").some(has);
}

test("each metric that public dashboards and alerts ask for has series", () => {
  assert.deepEqual(
    queried.filter((name) => !isThere(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(notQueried).filter((name) => isThere(name)),
    [],
  );
});

test("objectives of the API server can be asked for: by verb and scope, at 1, 5 and 30 seconds", () => {
  const sli = /^apiserver_request_sli_duration_seconds_bucket\{verb="([A-Z]+)".*scope="([a-z]*)".*le="([^"]+)"\}/gm;
  const seen = new Set([...text.matchAll(sli)].map(([, verb, scope, le]) => `${verb} ${scope} ${le}`));
  for (const [verb, scope] of [
    ["GET", "resource"],
    ["LIST", "namespace"],
    ["LIST", "cluster"],
    ["POST", "resource"],
  ]) {
    for (const le of ["1", "5", "30"]) assert.ok(seen.has(`${verb} ${scope} ${le}`), `${verb} ${scope} ${le}`);
  }
  assert.ok(![...seen].some((one) => one.startsWith("WATCH")), "watches have no objective");
});

/** Of a proxy, which writes rules and does not run here. */
async function proxyMetrics(): Promise<readonly PageMetric[]> {
  const pages: ReadonlyMap<string, PageMetric>[] = [];
  for (const mode of ["nftables", "iptables"] as const) {
    const metrics = createMetrics({ release: "1.32", processMetrics: false });
    createTelemetry(metrics, mode, () => 0);
    pages.push(readPage(await metrics.text()));
  }
  return pages.flatMap((each) => [...each.values()]).filter(({ name }) => name.startsWith("kubeproxy_"));
}

/** What is missing is told as the lines that it should have. */
test("the table of metrics in docs/observability.md is that of the programs", async () => {
  const documented = readFileSync(new URL("../../docs/observability.md", import.meta.url), "utf8");
  const rows = new Set(
    [...page.values(), ...(await proxyMetrics())]
      .filter(({ stability }) => stability !== undefined)
      .map(({ name, type, stability, help }) => `| \`${name}\` | ${type} | ${stability} | ${help} |`),
  );
  const isRow = (line: string): boolean => line.startsWith("| `") && /\| (?:ALPHA|BETA|STABLE) \|/.test(line);
  const table = new Set(documented.split("\n").filter(isRow));
  const missing = [...rows].filter((row) => !table.has(row));
  const outdated = [...table].filter((row) => !rows.has(row));
  assert.deepEqual({ missing, outdated }, { missing: [], outdated: [] });
});
