import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { spoolFlags } from "@orch/runtime/flags/spool-flags.js";
import { sinkFlags } from "./flags.js";
import { auditSettings, modesOf } from "./settings.js";

const program = { name: "audit", description: "", version: "1.32", flags: { ...sinkFlags, ...spoolFlags } };
const naming = createNaming("kubernetes");

function settings(...args: readonly string[]) {
  const line = readCommandLine(program, args);
  assert.ok(line.run, "the command line is wrong");
  return auditSettings(line.values, naming);
}

const log = "--audit-log-path=a.log";
const webhook = "--audit-webhook-config-file=kc.yaml";
const kafka = "--audit-kafka-brokers=a:9092,b:9092";

test("flags are refused in the reference's words", () => {
  const allowed = 'allowed modes are "batch,blocking,blocking-strict"';
  const version = 'invalid group version, allowed versions are ["audit.k8s.io/v1"]';
  const batch = "--audit-log-mode=batch";
  const truncated = "--audit-log-truncate-enabled";
  const throttled = "--audit-log-batch-throttle-enable";
  const rows: readonly (readonly [args: readonly string[], problem: string])[] = [
    [[log, "--audit-log-mode=bogus"], `invalid audit log mode bogus, ${allowed}`],
    [[webhook, "--audit-webhook-mode=bogus"], `invalid audit webhook mode bogus, ${allowed}`],
    [[kafka, "--audit-kafka-mode=bogus"], `invalid audit kafka mode bogus, ${allowed}`],
    [[log, "--audit-log-format=bogus"], 'invalid audit log format bogus, allowed formats are "legacy,json"'],
    [[log, "--audit-log-maxage=-1"], "--audit-log-maxage -1 can't be a negative number"],
    [[log, "--audit-log-maxbackup=-1"], "--audit-log-maxbackup -1 can't be a negative number"],
    [[log, "--audit-log-maxsize=-1"], "--audit-log-maxsize -1 can't be a negative number"],
    [[log, "--audit-log-version=audit.k8s.io/v1beta1"], version],
    [[log, "--audit-log-version=x"], version],
    [[webhook, "--audit-webhook-version=x"], version],
    [
      [log, batch, "--audit-log-batch-buffer-size=0"],
      "invalid audit batch log buffer size 0, must be a positive number",
    ],
    [
      [log, batch, "--audit-log-batch-max-size=0"],
      "invalid audit batch log max batch size 0, must be a positive number",
    ],
    [
      [log, batch, throttled, "--audit-log-batch-throttle-qps=0"],
      "invalid audit batch log throttle QPS 0, must be a positive number",
    ],
    [
      [log, batch, throttled, "--audit-log-batch-throttle-burst=0"],
      "invalid audit batch log throttle QPS 0, must be a positive number",
    ],
    [
      [log, batch, throttled, "--audit-log-batch-throttle-qps=0.5"],
      "invalid audit batch log throttle burst 0, must be a positive number",
    ],
    [
      [log, truncated, "--audit-log-truncate-max-event-size=0"],
      "invalid audit truncate log max event size 0, must be a positive number",
    ],
    [
      [log, truncated, "--audit-log-truncate-max-batch-size=10", "--audit-log-truncate-max-event-size=100"],
      "invalid audit truncate log max batch size 10, must be greater than max event size (100)",
    ],
    [[kafka, "--audit-kafka-topic="], "--audit-kafka-topic is needed"],
    [[kafka, "--audit-kafka-ca-file=x"], "certificates for brokers need --audit-kafka-tls"],
    [
      [kafka, "--audit-kafka-tls", "--audit-kafka-cert-file=x"],
      "--audit-kafka-cert-file and --audit-kafka-key-file go together",
    ],
    [
      [kafka, "--audit-kafka-sasl-mechanism=plain"],
      "--audit-kafka-sasl-mechanism needs --audit-kafka-sasl-username-file and --audit-kafka-sasl-password-file",
    ],
  ];
  for (const [args, problem] of rows) assert.deepEqual(settings(...args), { ok: false, problems: [problem] });
});

test("flags of what is not used are not judged", () => {
  for (const args of [
    [],
    ["--audit-log-mode=bogus", "--audit-webhook-version=x"],
    [log, "--audit-log-batch-buffer-size=0"],
    [log, "--audit-log-mode=batch", "--audit-log-batch-buffer-size=5", "--audit-log-batch-max-size=10"],
    [log, "--audit-log-mode=batch", "--audit-log-batch-throttle-qps=0"],
    [log, "--audit-log-truncate-max-event-size=0"],
    [webhook, "--audit-webhook-initial-backoff=0s"],
    [log, "--audit-log-version=audit.k8s.io/v1"],
  ]) {
    assert.ok(settings(...args).ok, args.join(" "));
  }
});

test("defaults are the reference's", () => {
  const parsed = settings(log, webhook, kafka);
  assert.ok(parsed.ok);
  assert.deepEqual(modesOf(parsed.value), ["blocking", "batch", "batch"]);
  assert.deepEqual(parsed.value.webhook?.delivery, {
    ...{ mode: "batch", maxBatchSize: 400, maxWaitMs: 30_000, initialBackoffMs: 10_000 },
    throttle: { qps: 10, burst: 15 },
  });
  assert.equal(parsed.value.log?.maxBytes, 100 * 1024 * 1024);
  assert.equal(parsed.value.log?.format, "json");
  assert.equal(parsed.value.log?.truncate, undefined);
  assert.equal(settings(log, "--audit-log-mode=batch").ok, true);
});
