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

const known = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|OTHER|LIST|WATCH|APPLY|DELETECOLLECTION)$/;

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
  // A method would have some hundred lines of its own.
  assert.ok(page.body.length < 2_000_000, `${page.body.length}`);
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
  code: /^(?:\d{1,3}|<error>)$/,
  group: /^[a-z0-9.-]{0,63}$/,
  version: /^(?:v\d+(?:(?:alpha|beta)\d+)?)?$/,
  // With its group where a metric has no label for that.
  resource: /^(?:[a-z]{0,63}|[a-z]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})$/,
  resource_prefix: /^\/[a-z0-9./-]{1,200}$/,
  kind: /^[A-Za-z]{0,63}$/,
  host: /^[\w.:[\]-]{1,100}$/,
  crd_name: objectName,
  from_version: /^v\d+(?:(?:alpha|beta)\d+)?$/,
  to_version: /^v\d+(?:(?:alpha|beta)\d+)?$/,
  storage_cluster_id: /^[a-z]+-\d+$/,
  major: /^\d+$/,
  minor: /^\d+$/,
  git_version: /^v[\d.]+\+[\w.]+$/,
  platform: /^[a-z0-9/]+$/,
  subresource: /^[a-z]{0,63}$/,
  removed_release: /^(?:1\.\d+)?$/,
  deprecated_version: /^(?:1\.\d+)?$/,
  policy: objectName,
  policy_binding: objectName,
  priority_level: objectName,
  flow_schema: objectName,
  // A resource of the catalog, or a word of ours.
  type: /^[A-Za-z][A-Za-z0-9.-]{0,100}$/,
  cidr: /^[0-9a-f.:/]{1,50}$/,
};

/** Every metric of ours with its labels; what node tells of the process has none that a client chooses. */
const metricLabels: Readonly<Record<string, readonly string[]>> = {
  apiserver_admission_controller_admission_duration_seconds: ["name", "operation", "type", "rejected", "le"],
  apiserver_audit_error_total: ["plugin"],
  apiserver_audit_level_total: ["level"],
  aggregator_unavailable_apiservice: ["name"],
  aggregator_unavailable_apiservice_total: ["name", "reason"],
  apiserver_authorization_decisions_total: ["type", "name", "decision"],
  apiserver_authorization_match_condition_evaluation_errors_total: ["type", "name"],
  apiserver_authorization_match_condition_evaluation_seconds: ["type", "name", "le"],
  apiserver_authorization_match_condition_exclusions_total: ["type", "name"],
  apiserver_egress_dialer_dial_duration_seconds: ["protocol", "transport", "le"],
  apiserver_egress_dialer_dial_failure_count: ["protocol", "transport", "stage"],
  apiserver_egress_dialer_dial_start_total: ["protocol", "transport"],
  apiserver_current_inflight_requests: ["request_kind"],
  apiserver_current_inqueue_requests: ["request_kind"],
  apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds: ["apiserver_id_hash", "status"],
  apiserver_encryption_config_controller_automatic_reloads_total: ["apiserver_id_hash", "status"],
  apiserver_encryption_config_controller_last_config_info: ["apiserver_id_hash", "hash"],
  // Providers are named by a file, their keys by hashes.
  apiserver_envelope_encryption_dek_cache_fill_percent: [],
  apiserver_envelope_encryption_dek_source_cache_size: ["provider_name"],
  apiserver_envelope_encryption_invalid_key_id_from_status_total: ["error", "provider_name"],
  apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds: [
    ...["apiserver_id_hash", "key_id_hash", "provider_name", "transformation_type"],
  ],
  apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds: [
    ...["apiserver_id_hash", "key_id_hash", "provider_name"],
  ],
  apiserver_envelope_encryption_key_id_hash_total: [
    ...["apiserver_id_hash", "key_id_hash", "provider_name", "transformation_type"],
  ],
  apiserver_envelope_encryption_kms_operations_latency_seconds: [
    ...["grpc_status_code", "method_name", "provider_name", "le"],
  ],
  apiserver_storage_data_key_generation_duration_seconds: ["le"],
  apiserver_storage_data_key_generation_failures_total: [],
  apiserver_storage_envelope_transformation_cache_misses_total: [],
  apiserver_storage_transformation_duration_seconds: ["transformation_type", "transformer_prefix", "le"],
  apiserver_storage_transformation_operations_total: [
    ...["resource", "status", "transformation_type", "transformer_prefix"],
  ],
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
  apiserver_mutating_admission_policy_check_duration_seconds: ["policy", "policy_binding", "error_type", "le"],
  apiserver_mutating_admission_policy_check_total: ["policy", "policy_binding", "error_type"],
  apiserver_request_duration_seconds: [
    ...["verb", "group", "version", "resource", "subresource", "scope", "component", "dry_run", "le"],
  ],
  apiserver_request_total: [
    ...["verb", "group", "version", "resource", "subresource", "scope", "component", "code", "dry_run"],
  ],
  apiserver_requested_deprecated_apis: ["group", "version", "resource", "subresource", "removed_release"],
  apiserver_tls_reloads_total: ["files", "result"],
  apiserver_validating_admission_policy_check_duration_seconds: [
    ...["policy", "policy_binding", "error_type", "enforcement_action", "le"],
  ],
  apiserver_validating_admission_policy_check_total: ["policy", "policy_binding", "error_type", "enforcement_action"],
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
  kube_apiserver_pod_logs_backend_tls_failure_total: [],
  kube_apiserver_pod_logs_insecure_backend_total: ["usage"],
  kubernetes_feature_enabled: ["name", "stage"],
  orch_gateway_watch_delivery_duration_seconds: ["le"],
  orch_audit_delivery_failures_total: ["plugin"],
  orch_audit_events_delivered_total: ["plugin"],
  orch_eventloop_blocked_total: ["verb", "group", "resource"],
  orch_eventloop_lag_seconds: ["le"],
  orch_metric_series_dropped_total: ["metric"],
  orch_object_history_rounds_total: ["result"],
  orch_store_request_duration_seconds: ["operation", "le"],
  orch_store_request_errors_total: ["operation"],
  pv_collector_bound_pv_count: ["storage_class"],
  pv_collector_bound_pvc_count: ["namespace", "storage_class", "volume_attributes_class"],
  pv_collector_total_pv_count: ["plugin_name", "volume_mode"],
  pv_collector_unbound_pv_count: ["storage_class"],
  pv_collector_unbound_pvc_count: ["namespace", "storage_class", "volume_attributes_class"],
  apiserver_admission_match_condition_evaluation_seconds: ["name", "kind", "type", "operation", "le"],
  apiserver_admission_match_condition_exclusions_total: ["name", "kind", "type", "operation"],
  apiserver_admission_step_admission_duration_seconds: ["operation", "type", "rejected", "le"],
  apiserver_cache_list_returned_objects_total: ["group", "resource", "resource_prefix"],
  apiserver_cache_list_total: ["group", "resource", "resource_prefix", "index"],
  apiserver_cel_compilation_duration_seconds: ["le"],
  apiserver_cel_evaluation_duration_seconds: ["le"],
  apiserver_client_certificate_expiration_seconds: ["le"],
  apiserver_conversion_webhook_duration_seconds: ["result", "failure_type", "le"],
  apiserver_conversion_webhook_request_total: ["result", "failure_type"],
  apiserver_crd_conversion_webhook_duration_seconds: ["crd_name", "from_version", "to_version", "succeeded", "le"],
  apiserver_init_events_total: ["group", "resource"],
  apiserver_longrunning_requests: ["verb", "group", "version", "resource", "subresource", "scope", "component"],
  apiserver_request_aborts_total: ["verb", "group", "version", "resource", "subresource", "scope"],
  apiserver_request_body_size_bytes: ["group", "resource", "verb", "le"],
  apiserver_request_filter_duration_seconds: ["filter", "le"],
  apiserver_request_sli_duration_seconds: [
    "verb",
    "group",
    "version",
    "resource",
    "subresource",
    "scope",
    "component",
    "le",
  ],
  apiserver_request_terminations_total: [
    "verb",
    "group",
    "version",
    "resource",
    "subresource",
    "scope",
    "component",
    "code",
  ],
  apiserver_response_sizes: ["verb", "group", "version", "resource", "subresource", "scope", "component", "le"],
  apiserver_storage_decode_errors_total: ["resource"],
  apiserver_storage_events_received_total: ["group", "resource"],
  apiserver_storage_list_evaluated_objects_total: ["group", "resource"],
  apiserver_storage_list_fetched_objects_total: ["group", "resource"],
  apiserver_storage_list_returned_objects_total: ["group", "resource"],
  apiserver_storage_list_total: ["group", "resource"],
  apiserver_storage_objects: ["resource"],
  apiserver_storage_size_bytes: ["storage_cluster_id"],
  apiserver_watch_cache_events_dispatched_total: ["group", "resource"],
  apiserver_watch_cache_events_received_total: ["group", "resource"],
  apiserver_watch_cache_initializations_total: ["group", "resource"],
  apiserver_watch_cache_read_wait_seconds: ["group", "resource", "le"],
  apiserver_watch_cache_resource_version: ["group", "resource"],
  apiserver_watch_events_sizes: ["group", "version", "kind", "resource", "le"],
  apiserver_watch_events_total: ["group", "version", "kind", "resource"],
  authenticated_user_requests: ["username"],
  authentication_duration_seconds: ["result", "le"],
  authorization_attempts_total: ["result"],
  authorization_duration_seconds: ["result", "le"],
  field_validation_request_duration_seconds: ["field_validation", "le"],
  kubernetes_build_info: [
    "major",
    "minor",
    "git_version",
    "git_commit",
    "git_tree_state",
    "build_date",
    "go_version",
    "compiler",
    "platform",
  ],
  orch_trace_spans_total: ["fate"],
  rest_client_request_duration_seconds: ["verb", "host", "le"],
  rest_client_request_size_bytes: ["verb", "host", "le"],
  rest_client_requests_total: ["code", "method", "host"],
  rest_client_response_size_bytes: ["verb", "host", "le"],
  workqueue_longest_running_processor_seconds: ["name"],
  workqueue_unfinished_work_seconds: ["name"],
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
