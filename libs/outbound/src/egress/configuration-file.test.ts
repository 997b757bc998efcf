import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { parseEgressFile } from "./configuration-file.js";

const deps = { naming: createNaming("kubernetes"), exists: (path: string): boolean => !path.startsWith("/absent") };
const head = { apiVersion: "apiserver.k8s.io/v1beta1", kind: "EgressSelectorConfiguration" };

function problemOf(file: unknown): string {
  const parsed = parseEgressFile(typeof file === "string" ? file : JSON.stringify(file), deps);
  return parsed.ok ? "" : parsed.problem;
}

/** What validation says of selections; "" where nothing. */
function problemWith(...egressSelections: readonly unknown[]): string {
  return problemOf({ ...head, egressSelections }).replace("failed to validate egress selector configuration: ", "");
}

const direct = { proxyProtocol: "Direct" };
const of = (connection: object): object => ({ name: "cluster", connection });
const connect = (transport: object | undefined): object => of({ proxyProtocol: "HTTPConnect", transport });
const tcp = (fields: object): object => connect({ tcp: fields });
const tls = (tlsConfig: object): object => tcp({ url: "https://x:1", tlsConfig });
const at = "service.connection";

test("files of other kinds and shapes are told apart", () => {
  const read = "failed to read egress selector config: ";
  const rows: readonly (readonly [unknown, string])[] = [
    ["", "Object 'Kind' is missing in ''"],
    ["{}", "Object 'Kind' is missing in '{}'"],
    [{ ...head, egressSelections: [], av: 1 }, 'strict decoding error: unknown field "av"'],
    [
      { ...head, egressSelections: [{ name: "etcd", connection: { ...direct, x: 1 }, y: 2 }] },
      'strict decoding error: unknown field "egressSelections[0].y", unknown field "egressSelections[0].connection.x"',
    ],
    [{ ...head, egressSelections: {} }, "strict decoding error: egressSelections: must be a list"],
    [{ ...head, egressSelections: [1] }, "strict decoding error: egressSelections[0]: must be an object"],
    [{ ...head, egressSelections: [{ name: 1 }] }, "strict decoding error: egressSelections[0].name: must be a string"],
    [{ ...head, apiVersion: undefined }, `Object 'apiVersion' is missing in '{"kind":"EgressSelectorConfiguration"}'`],
    [
      { ...head, apiVersion: "apiserver.config.k8s.io/v1" },
      'no kind "EgressSelectorConfiguration" is registered for version "apiserver.config.k8s.io/v1"',
    ],
    [{ ...head, kind: "Egress" }, 'no kind "Egress" is registered for version "apiserver.k8s.io/v1beta1"'],
    ["kind: A\nkind: B\napiVersion: x", 'no kind "B" is registered for version "x"'],
    ["x: [", ""],
  ];
  for (const [file, expected] of rows) {
    const problem = problemOf(file);
    assert.ok(problem.startsWith(read), problem);
    if (expected !== "") assert.equal(problem, read + expected);
  }
  for (const apiVersion of ["apiserver.k8s.io/v1alpha1", "apiserver.config.k8s.io/v1alpha1"]) {
    assert.equal(problemOf({ ...head, apiVersion }), "");
  }
  assert.match(problemOf({ ...head, apiVersion: "apiserver.orch/v1beta1" }), /no kind/);
});

test("selections are checked as the reference checks them", () => {
  const bothTls = `[${at}.tlsConfig.clientCert: Invalid value: "nil": Using TLS requires clientCert, ${at}.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires requires clientKey]`;
  const rows: readonly (readonly [readonly unknown[], string])[] = [
    [[], ""],
    [[of(direct)], ""],
    [[{ name: "Cluster", connection: direct }], ""],
    [[of(direct), of(direct)], `${at}[1]: Duplicate value: "cluster"`],
    [[of(direct), { name: "CLUSTER", connection: direct }], `${at}[1]: Duplicate value: "cluster"`],
    [[{ name: "master", connection: direct }], ""],
    [
      [
        { name: "master", connection: direct },
        { name: "controlplane", connection: direct },
      ],
      `${at}[1]: Duplicate value: "controlplane"`,
    ],
    [["etcd", "controlplane", "cluster"].map((name) => ({ name, connection: direct })), ""],
    [
      [{ name: "zzz", connection: direct }],
      `${at}: Unsupported value: "zzz": supported values: "cluster", "controlplane", "etcd"`,
    ],
    ...["", "Bogus"].map((proxyProtocol): readonly [readonly unknown[], string] => [
      [of({ proxyProtocol })],
      `${at}.protocol: Unsupported value: "${proxyProtocol}": supported values: "Direct", "HTTPConnect", "GRPC"`,
    ]),
    ...[{}, { uds: { udsName: "/x" } }].map((transport): readonly [readonly unknown[], string] => [
      [of({ ...direct, transport })],
      `${at}.transport: Invalid value: "direct": Transport config should be absent for direct connect`,
    ]),
    [[connect(undefined)], `${at}.transport: Required value: transport must be set for HTTPConnect`],
    [[connect({})], `${at}.tcp: Required value: One of TCP or UDS must be set`],
    [[tcp({})], `${at}.url: Invalid value: "": supported connection protocols are http:// and https://`],
    [
      [tcp({ url: "ftp://x" })],
      `${at}.url: Invalid value: "ftp://x": supported connection protocols are http:// and https://`,
    ],
    [
      [tcp({ url: "http://x:1", tlsConfig: { caBundle: "/x" } })],
      `${at}.tlsConfig: Invalid value: "nil": TLSConfig config should not be present when using HTTP`,
    ],
    [[tcp({ url: "http://x:1" })], ""],
    [[tcp({ url: "https://x:1" })], `${at}.tlsConfig: Required value: TLSConfig must be present when using HTTPS`],
    [[tls({})], bothTls],
    [
      [tls({ caBundle: "/absent/ca", clientCert: "/absent/c", clientKey: "/absent/k" })],
      `[${at}.tlsConfig.caBundle: Invalid value: "/absent/ca": TLS config ca bundle does not exist, ${at}.tlsConfig.clientCert: Invalid value: "/absent/c": TLS client cert does not exist, ${at}.tlsConfig.clientKey: Invalid value: "/absent/k": TLS client key does not exist]`,
    ],
    [
      [tls({ clientCert: "/absent/c" })],
      `[${at}.tlsConfig.clientCert: Invalid value: "/absent/c": TLS client cert does not exist, ${at}.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires requires clientKey]`,
    ],
    [[tls({ clientCert: "/c", clientKey: "/k" })], ""],
    [[connect({ uds: { udsName: "unix:///x" } })], ""],
    [[connect({ uds: { udsName: "/x.sock" } })], ""],
    [[connect({ uds: {} })], `${at}.udsName: Required value: UDSName should be present for UDS connections`],
    [
      [connect({ uds: { udsName: "/x" }, tcp: { url: "http://x:1" } })],
      `${at}.tcp: Invalid value: {"url":"http://x:1"}: TCP and UDS cannot both be set`,
    ],
    [
      [of({ proxyProtocol: "GRPC", transport: { tcp: { url: "http://x:1" } } })],
      `${at}.uds: Required value: UDS must be set with GRPC`,
    ],
    [[of({ proxyProtocol: "GRPC", transport: { uds: { udsName: "/x.sock" } } })], ""],
    [[of({ proxyProtocol: "GRPC" })], `${at}.transport: Required value: transport must be set for GRPC`],
  ];
  for (const [selections, expected] of rows) {
    assert.equal(problemWith(...selections), expected, JSON.stringify(selections));
  }
});

test("a file in YAML says which way leads where", () => {
  const parsed = parseEgressFile(
    `
apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- {name: master, connection: {proxyProtocol: GRPC, transport: {uds: {udsName: "unix:///run/k.sock"}}}}
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport: {tcp: {url: "https://p:8131", tlsConfig: {clientCert: /c, clientKey: /k}}}
`,
    deps,
  );
  assert.ok(parsed.ok);
  assert.deepEqual(Object.fromEntries(parsed.configuration), {
    controlplane: { protocol: "GRPC", socketPath: "/run/k.sock" },
    cluster: {
      protocol: "HTTPConnect",
      proxy: { transport: "tcp", url: "https://p:8131", tls: { certificate: "/c", key: "/k" } },
    },
  });
});

test("no file makes it throw", () => {
  const connection = fc.record(
    {
      proxyProtocol: fc.oneof(fc.constantFrom("Direct", "HTTPConnect", "GRPC"), fc.jsonValue()),
      transport: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const selection = fc.record({ name: fc.oneof(fc.constantFrom("etcd", "cluster"), fc.jsonValue()), connection });
  const file = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .array(fc.oneof(selection, fc.jsonValue()))
      .map((egressSelections) => JSON.stringify({ ...head, egressSelections })),
  );
  fc.assert(
    fc.property(file, (text) => {
      const parsed = parseEgressFile(text, deps);
      assert.ok(parsed.ok || parsed.problem.length > 0);
    }),
    { numRuns: 500 },
  );
});
