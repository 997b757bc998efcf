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
  fieldValidation: "",
} as const;

const told = (milliseconds: number) => ({ milliseconds, waitedMs: 0, sent: 0, received: 0 });
const shared = 'verb="GET",group="batch",version="v1beta1",resource="cronjobs",subresource="",scope="resource"';

async function lines(registered: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await registered.text()).split("\n");
}

test("requests are counted by all of their labels and timed without the code", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const requests = createRequestMetrics(metrics);
  requests.observe("a", () => labels, told(250));
  requests.observe("a", () => assert.fail("labels are asked for once"), told(500));
  requests.observe("b", () => ({ ...labels, code: "404" }), told(250));
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
    const rest = {
      verb: "GET",
      version: "v1",
      subresource: "",
      scope: "cluster",
      code: "200",
      dryRun: "",
      fieldValidation: "",
    } as const;
    requests.observe(`${group} ${resource}`, () => ({ ...rest, group, resource }), told(1));
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

test("what waited for others is no part of the objective, and a watch has none", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const requests = createRequestMetrics(metrics);
  requests.observe("a", () => ({ ...labels, verb: "POST" }), { ...told(3000), waitedMs: 2000, received: 60_000 });
  requests.observe("b", () => ({ ...labels, verb: "WATCH" }), told(5000));
  requests.observe("c", () => labels, { ...told(1), sent: 5000 });
  const page = await metrics.text();
  assert.match(page, /apiserver_request_sli_duration_seconds_bucket\{verb="POST",.*le="1"\} 1\n/);
  assert.match(page, /apiserver_request_duration_seconds_bucket\{verb="POST",.*le="2"\} 0\n/);
  assert.doesNotMatch(page, /apiserver_request_sli_duration_seconds.*WATCH/);
  assert.match(page, /apiserver_request_body_size_bytes_bucket\{.*verb="create",le="50000"\} 0\n/);
  assert.match(page, /apiserver_response_sizes_bucket\{verb="GET",.*le="10000"\} 1\n/);
  assert.doesNotMatch(page, /apiserver_response_sizes.*POST/);
});

test("what the server gave up is told, and who went away; a pod that must stay is neither", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const requests = createRequestMetrics(metrics);
  const rows = [
    { code: "429", resource: "cronjobs", subresource: "", ends: true },
    { code: "504", resource: "cronjobs", subresource: "", ends: true },
    { code: "429", resource: "pods", subresource: "eviction", ends: false },
    { code: "200", resource: "cronjobs", subresource: "", ends: false },
  ];
  for (const [i, { code, resource, subresource }] of rows.entries()) {
    requests.observe(`${i}`, () => ({ ...labels, code, resource, subresource }), told(1));
  }
  requests.observe("gone", () => ({ ...labels, code: "0" }), told(1));
  const page = await metrics.text();
  const ended = [...page.matchAll(/^apiserver_request_terminations_total\{.*code="(\d+)"\} 1$/gm)].map(
    ([, code]) => code,
  );
  assert.deepEqual(ended, ["429", "504"]);
  assert.match(page, /^apiserver_request_aborts_total\{.*\} 1$/m);
});

test("a watch is open until it is over", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const { code: _code, dryRun: _dryRun, fieldValidation: _fields, ...shared } = labels;
  const requests = createRequestMetrics(metrics);
  const over = [0, 1].map(() => requests.lasting({ ...shared, verb: "WATCH" }));
  over[0]?.();
  assert.match(await metrics.text(), /^apiserver_longrunning_requests\{verb="WATCH",.*component="apiserver"\} 1$/m);
});
