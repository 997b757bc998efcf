import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createRequestMetrics } from "./request-metrics.js";

const labels = {
  verb: "GET",
  group: "batch",
  version: "v1beta1",
  resource: "cronjobs",
  subresource: "",
  scope: "resource",
  code: "200",
  dryRun: "",
} as const;
const shared = 'verb="GET",group="batch",version="v1beta1",resource="cronjobs",subresource="",scope="resource"';

async function lines(registered: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await registered.text()).split("\n");
}

test("requests are counted by all of their labels and timed without the code", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const requests = createRequestMetrics(metrics);
  requests.observe("a", () => labels, 250);
  requests.observe("a", () => assert.fail("labels are asked for once"), 500);
  requests.observe("b", () => ({ ...labels, code: "404" }), 250);
  const text = await lines(metrics);
  const count = (code: string): string =>
    `apiserver_request_total{${shared},component="apiserver",code="${code}",dry_run=""}`;
  assert.ok(text.includes(`${count("200")} 2`));
  assert.ok(text.includes(`${count("404")} 1`));
  assert.ok(text.includes(`apiserver_request_duration_seconds_sum{${shared},component="apiserver",dry_run=""} 1`));
});

test("a deprecated version that was asked for is a gauge of 1, with the release that removes it", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const requests = createRequestMetrics(metrics);
  const { group, version, resource, subresource } = labels;
  for (let i = 0; i < 2; i++) {
    requests.deprecated({ group, version, resource, subresource, removed_release: "1.25" });
  }
  const text = await lines(metrics);
  const series = text.filter((line) => line.startsWith("apiserver_requested_deprecated_apis{"));
  assert.deepEqual(series, [
    'apiserver_requested_deprecated_apis{group="batch",version="v1beta1",resource="cronjobs",subresource="",removed_release="1.25"} 1',
  ]);
  assert.ok(text.some((line) => line.startsWith("# HELP apiserver_requested_deprecated_apis [STABLE] ")));
});

test("a resource that is no more has no series of its own, and others keep theirs", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const requests = createRequestMetrics(metrics);
  const of = (group: string, resource: string): void => {
    const rest = { verb: "GET", version: "v1", subresource: "", scope: "cluster", code: "200", dryRun: "" } as const;
    requests.observe(`${group} ${resource}`, () => ({ ...rest, group, resource }), 1);
  };
  of("example.com", "widgets");
  of("example.com", "gears");
  of("", "widgets");
  requests.forget({ group: "example.com", resource: "widgets" });
  of("example.com", "gears");
  const page = await metrics.text();
  assert.doesNotMatch(page, /group="example.com".*resource="widgets"/);
  assert.match(page, /apiserver_request_total\{.*group="example.com".*resource="gears".*\} 2/);
  assert.match(page, /apiserver_request_total\{.*group="".*resource="widgets".*\} 1/);
});
