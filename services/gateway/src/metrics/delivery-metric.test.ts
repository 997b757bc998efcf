import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createDeliveryMetric } from "./delivery-metric.js";

const name = "orch_gateway_watch_delivery_duration_seconds";

test("every event of a batch counts with the time that the oldest took; clocks that differ take no less than none", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  let now = 0;
  const delivered = createDeliveryMetric(metrics, () => now);
  now = 1002;
  delivered({ events: 3, since: 1000 });
  delivered({ events: 1, since: 1500 });
  const text = await metrics.text();
  const value = (series: string): string | undefined =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}${series} `))
      ?.slice(name.length + series.length + 1);
  assert.equal(value('_bucket{le="0.0001"}'), "1");
  assert.equal(value('_bucket{le="0.001"}'), "1");
  assert.equal(value('_bucket{le="0.0025"}'), "4");
  assert.equal(value("_count"), "4");
  assert.equal(value("_sum"), "0.006");
  assert.match(text, new RegExp(`# HELP ${name} \\[ALPHA\\] `));
});
