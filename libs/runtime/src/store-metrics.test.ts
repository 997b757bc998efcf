import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./metrics.js";
import { createStoreMetrics } from "./store-metrics.js";

const kinds = [
  { group: "", plural: "pods", storage: { prefix: "pods" } },
  { group: "", plural: "services", storage: { prefix: "services/specs" } },
  { group: "apps", plural: "deployments", storage: { prefix: "deployments" } },
];

/** The lines of a page that tell how often something happened. */
async function counts(text: Promise<string>): Promise<readonly string[]> {
  return (await text)
    .split("\n")
    .filter((line) => /^(etcd|orch_store)_/.test(line) && !/_bucket|_sum/.test(line))
    .sort();
}

test("requests to the store are told by operation and type, and nobody's key makes a type", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  let time = 0;
  const store = createStoreMetrics(metrics, { storePrefix: "/p/", now: () => time });
  const call = (operation: "get" | "list" | "create", key: string, failed = false): void => {
    time += 30;
    store.ended({ operation, key, started: time - 30 }, failed);
  };
  call("get", "/p/pods/a/early");
  store.know(kinds);
  call("get", "/p/pods/a/one");
  call("get", "/p/pods/b/two", true);
  call("list", "/p/pods/");
  call("list", "/p/services/specs/default/");
  call("create", "/p/deployments/a/one");
  for (const key of ["/p/", "/p/\0compaction", "/p/made-up/a/b", "/p/services/other/x", "/p/pods", "/q/pods/a/b"]) {
    call("list", key);
  }
  assert.deepEqual(await counts(metrics.text()), [
    'etcd_request_duration_seconds_count{operation="create",type="deployments.apps"} 1',
    'etcd_request_duration_seconds_count{operation="get",type="other"} 1',
    'etcd_request_duration_seconds_count{operation="get",type="pods"} 2',
    'etcd_request_duration_seconds_count{operation="list",type="other"} 6',
    'etcd_request_duration_seconds_count{operation="list",type="pods"} 1',
    'etcd_request_duration_seconds_count{operation="list",type="services"} 1',
    'etcd_request_errors_total{operation="get",type="pods"} 1',
    'etcd_requests_total{operation="create",type="deployments.apps"} 1',
    'etcd_requests_total{operation="get",type="other"} 1',
    'etcd_requests_total{operation="get",type="pods"} 2',
    'etcd_requests_total{operation="list",type="other"} 6',
    'etcd_requests_total{operation="list",type="pods"} 1',
    'etcd_requests_total{operation="list",type="services"} 1',
    "orch_store_watch_events_total 0",
  ]);
  const text = await metrics.text();
  assert.match(text, /etcd_request_duration_seconds_bucket\{operation="get",type="pods",le="0.025"\} 0/);
  assert.match(text, /etcd_request_duration_seconds_bucket\{operation="get",type="pods",le="0.05"\} 2/);
});

test("what is asked about the store itself has names of our own, and events are counted", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const store = createStoreMetrics(metrics, { storePrefix: "/p/", now: () => 0 });
  store.ended({ operation: "revision", key: "", started: 0 }, false);
  store.ended({ operation: "compact", key: "", started: 0 }, true);
  store.brought(3);
  assert.deepEqual(await counts(metrics.text()), [
    'orch_store_request_duration_seconds_count{operation="compact"} 1',
    'orch_store_request_duration_seconds_count{operation="revision"} 1',
    'orch_store_request_errors_total{operation="compact"} 1',
    "orch_store_watch_events_total 3",
  ]);
});
