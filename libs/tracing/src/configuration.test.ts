import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { parseTracingFile } from "./configuration.js";

const naming = createNaming("kubernetes");
const beta = { apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "TracingConfiguration" };
const alpha = { ...beta, apiVersion: "apiserver.config.k8s.io/v1alpha1" };
const usual = { collector: { type: "network", address: "localhost:4317" }, samplingRate: 0 };
const at = (address: string) => ({ ...usual, collector: { type: "network", address } });
const unread = "unable to decode tracing configuration data: ";
const invalid = "failed to validate tracing configuration: ";
const gRpcNaming = "See https://github.com/grpc/grpc/blob/master/doc/naming.md";

/** A file as text or as what it says; what it configures, or what is wrong with it. */
const rows: readonly (readonly [file: string | object, expected: object | string | RegExp])[] = [
  ["", usual],
  [{}, usual],
  [beta, usual],
  [alpha, usual],
  [{ apiVersion: beta.apiVersion }, usual],
  [{ kind: beta.kind }, usual],
  [
    "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\nsamplingRatePerMillion: 1",
    { ...usual, samplingRate: 1e-6 },
  ],
  [
    { ...beta, endpoint: "localhost:4317", samplingRatePerMillion: 1_000_000 },
    { ...usual, samplingRate: 1 },
  ],
  [{ ...beta, endpoint: null, samplingRatePerMillion: null }, usual],
  [{ ...beta, endpoint: "collector" }, at("collector:4317")],
  [{ ...beta, endpoint: "dns:///collector:1" }, at("collector:1")],
  [{ ...beta, endpoint: "dns://8.8.8.8/collector:1" }, at("collector:1")],
  [{ ...beta, endpoint: "[::1]:55" }, at("[::1]:55")],
  [{ ...beta, endpoint: "[::1]" }, at("[::1]:4317")],
  [
    { ...beta, endpoint: "unix:///x.sock" },
    { ...usual, collector: { type: "socket", path: "/x.sock" } },
  ],
  ["x: [", /^unable to decode tracing configuration data: yaml: /],
  ["- 1", `${unread}the file must be an object`],
  [
    { ...beta, apiVersion: "apiserver.config.k8s.io/v1" },
    /no kind "TracingConfiguration" is registered for version "apiserver.config.k8s.io\/v1"$/,
  ],
  [{ ...beta, apiVersion: 1 }, /no kind "TracingConfiguration" is registered for version 1$/],
  [{ ...beta, kind: "Other" }, /no kind "Other" is registered for version "apiserver.config.k8s.io\/v1beta1"$/],
  [{ ...beta, bogus: 1 }, `${unread}strict decoding error: unknown field "bogus"`],
  [{ ...beta, Endpoint: "x" }, `${unread}strict decoding error: unknown field "Endpoint"`],
  ['{"endpoint": "a:1", "endpoint": "b:1"}', `${unread}strict decoding error: field "endpoint" is given twice`],
  [{ ...beta, endpoint: 1 }, `${unread}endpoint: must be a string`],
  [{ ...beta, samplingRatePerMillion: "x" }, `${unread}samplingRatePerMillion: must be a whole number of 32 bits`],
  [{ ...beta, samplingRatePerMillion: 0.5 }, `${unread}samplingRatePerMillion: must be a whole number of 32 bits`],
  [{ ...beta, samplingRatePerMillion: 2 ** 31 }, `${unread}samplingRatePerMillion: must be a whole number of 32 bits`],
  [
    { ...beta, samplingRatePerMillion: -1 },
    `${invalid}samplingRatePerMillion: Invalid value: -1: sampling rate must be positive`,
  ],
  [
    { ...beta, samplingRatePerMillion: 1_000_001 },
    `${invalid}samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million`,
  ],
  [
    { ...beta, endpoint: "http://localhost:4317" },
    `${invalid}endpoint: Invalid value: "http://localhost:4317": unsupported scheme: http.  Options are none, dns, unix, or unix-abstract.  ${gRpcNaming}`,
  ],
  [
    { ...beta, endpoint: ":::bad" },
    `${invalid}endpoint: Invalid value: "dns://:::bad": parse "dns://:::bad": invalid port ":bad" after host`,
  ],
  [
    { ...beta, endpoint: ":::bad", samplingRatePerMillion: -1 },
    /^failed to validate tracing configuration: \[sampling.*, endpoint: .*\]$/,
  ],
];

for (const [file, expected] of rows) {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  test(`the file ${JSON.stringify(text)}`, () => {
    const parsed = parseTracingFile(text, naming);
    if (typeof expected === "string") assert.deepEqual(parsed, { ok: false, problem: expected });
    else if (expected instanceof RegExp) assert.match(parsed.ok ? "" : parsed.problem, expected);
    else assert.deepEqual(parsed, { ok: true, configuration: expected });
  });
}
