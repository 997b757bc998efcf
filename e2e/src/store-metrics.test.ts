import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect } from "./harness/http.js";
import { freshMaps } from "./harness/manifests.js";
import { metricOf } from "./harness/metrics.js";
import { startDistributed, startStandalone } from "./harness/target.js";

const requests = (operation: string, type: string): string =>
  `etcd_requests_total{operation="${operation}",type="${type}"}`;

test("standalone tells what it asked its store for, by operation and type", async (t) => {
  const target = await startStandalone();
  t.after(() => target.stop());
  const http = connect(target);
  t.after(() => http.close());
  const maps = await freshMaps(http);
  await maps.create("a");
  await maps.remove("a");
  const lines = (await http.get("/metrics")).text.split("\n");
  const expected = [requests("create", "configmaps"), requests("delete", "configmaps"), requests("list", "other")];
  for (const series of expected)
    assert.ok(
      lines.some((line) => line.startsWith(`${series} `)),
      series,
    );
  assert.ok(lines.some((line) => line.startsWith('orch_store_request_duration_seconds_count{operation="revision"} ')));
});

test("resource services and watch caches tell what they asked the store for", {
  skip: etcdMissing() ?? false,
}, async (t) => {
  const target = await startDistributed();
  t.after(() => target.stop());
  const http = connect(target);
  t.after(() => http.close());
  await (await freshMaps(http)).create("a");
  const { cluster } = target;
  const writes = cluster.resources.map((part) =>
    metricOf(cluster, part, requests("create", "configmaps")).catch(() => 0),
  );
  assert.ok((await Promise.all(writes)).some((count) => count > 0));
  for (const part of cluster.watchCaches) {
    assert.ok((await metricOf(cluster, part, requests("list", "other"))) > 0);
    assert.ok((await metricOf(cluster, part, "orch_store_watch_events_total")) > 0);
  }
});
