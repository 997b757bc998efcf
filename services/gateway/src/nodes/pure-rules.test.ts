import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { isProxyable, parseAddressed } from "./addressed.js";
import { agentAddress, noAddress } from "./agent-address.js";
import { containerOf } from "./container.js";
import { parted } from "./node-way.js";
import { type ConnectionPart, connectionOptions, connectionParams, logOptions } from "./options.js";
import { redirectThrough } from "./redirect.js";

/** What is answered: the value, or the code and message of the error. */
function answerOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return `${error.code} ${error.message}`;
  }
}

const names = (...all: string[]) => all.map((name) => ({ name }));
const podOf = (spec: object) => ({ metadata: { name: "p" }, spec });

const containers: readonly [what: string, spec: object, asked: string, answer: string][] = [
  ["its only one", { containers: names("a") }, "", "a"],
  ["its only one beside others", { containers: names("a"), initContainers: names("i") }, "", "a"],
  ["one of several", { containers: names("a", "b") }, "b", "b"],
  ["an init container", { containers: names("a"), initContainers: names("i") }, "i", "i"],
  ["an ephemeral one", { containers: names("a"), ephemeralContainers: names("e") }, "e", "e"],
  ["another's", { containers: names("a") }, "x", "400 container x is not valid for pod p"],
  ["none of none", {}, "", "400 a container name must be specified for pod p"],
  [
    "none of several",
    { containers: names("a", "b"), initContainers: names("i"), ephemeralContainers: names("e") },
    "",
    "400 a container name must be specified for pod p, choose one of: [i a b e]",
  ],
];
for (const [what, spec, asked, answer] of containers) {
  test(`the container that is meant: ${what}`, () =>
    assert.equal(
      answerOf(() => containerOf(podOf(spec), asked)),
      answer,
    ));
}

const invalid = (what: string): string => `422 PodLogOptions "p" is invalid: ${what}`;
const logs: readonly [query: string, answer: string][] = [
  ["", ""],
  ["follow=true&previous=1&timestamps=false", "follow=true&previous=true"],
  ["follow&tailLines=0&limitBytes=1&sinceSeconds=1", "follow=true&limitBytes=1&sinceSeconds=1&tailLines=0"],
  ["sinceTime=2024-01-02T03:04:05%2B01:00", "sinceTime=2024-01-02T02%3A04%3A05Z"],
  ["sinceTime=null", ""],
  ["tailLines=-1", invalid("tailLines: Invalid value: -1: must be greater than or equal to 0")],
  ["limitBytes=0", invalid("limitBytes: Invalid value: 0: must be greater than 0")],
  ["sinceSeconds=0", invalid("sinceSeconds: Invalid value: 0: must be greater than 0")],
  [
    "sinceSeconds=0&sinceTime=2024-01-02T03:04:05Z",
    invalid(": Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"),
  ],
  ["stream=All", invalid("stream: Forbidden: may not be specified")],
  ["tailLines=x", '400 strconv.ParseInt: parsing "x": invalid syntax'],
  ["limitBytes=9223372036854775808", '400 strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ["sinceTime=yesterday", '400 parsing time "yesterday": not a time of RFC 3339'],
];
for (const [query, answer] of logs) {
  test(`a log asked for by ${JSON.stringify(query)}`, () =>
    assert.equal(
      answerOf(() => logOptions(new URLSearchParams(query), { name: "p", choosesStream: false }).params),
      answer,
    ));
}

const streams: readonly [query: string, answer: string][] = [
  ["", "stream=All"],
  ["stream=Stderr", "stream=Stderr"],
  ["tailLines=1", "stream=All&tailLines=1"],
  ["stream=x", invalid('stream: Unsupported value: "x": supported values: "All", "Stderr", "Stdout"')],
  [
    "stream=Stdout&tailLines=1",
    invalid(": Forbidden: `tailLines` and specific `stream` are mutually exclusive for now"),
  ],
];
for (const [query, answer] of streams) {
  test(`with PodLogsQuerySplitStreams a log asked for by ${JSON.stringify(query)}`, () =>
    assert.equal(
      answerOf(() => logOptions(new URLSearchParams(query), { name: "p", choosesStream: true }).params),
      answer,
    ));
}

test("what a container is to do is told to the agent in its own words", () => {
  const query = new URLSearchParams("container=c&stdin=1&stdout=0&stderr=0&tty=true&command=sh&command=-c&command=a b");
  const said = (part: ConnectionPart, given?: URLSearchParams): unknown =>
    answerOf(() => connectionParams(connectionOptions(given, part), part));
  assert.deepEqual(connectionOptions(query, "exec"), {
    ...{ kind: "PodExecOptions", apiVersion: "v1", stdin: true, stdout: true, stderr: true, tty: true },
    ...{ container: "c", command: ["sh", "-c", "a b"] },
  });
  assert.equal(said("exec", query), "command=sh&command=-c&command=a+b&error=1&input=1&output=1&tty=1");
  assert.equal(said("attach", query), "error=1&input=1&output=1&tty=1");
  assert.equal(said("exec"), "error=1&output=1");
  assert.equal(said("portforward"), "");
  assert.equal(said("portforward", new URLSearchParams("ports=80&ports=8080")), "port=80%2C8080");
  assert.match(String(said("portforward", new URLSearchParams("ports=x"))), /^400 .*invalid syntax/);
  assert.match(String(said("portforward", new URLSearchParams("ports=2147483648"))), /^400 .*out of range/);
});

const ids: readonly [id: string, answer: string][] = [
  ["p", ":p:"],
  ["p:80", ":p:80"],
  ["p:web", ":p:web"],
  ["https:p:443", "https:p:443"],
  ["http:p:", "http:p:"],
  [":p:80", ":p:80"],
  ["ftp:p:21", '400 invalid pod request "ftp:p:21"'],
  [":80", '400 invalid pod request ":80"'],
  ["a:b:c:d", '400 invalid pod request "a:b:c:d"'],
];
for (const [id, answer] of ids) {
  test(`a proxy's name ${id}`, () => {
    const found = answerOf(() => {
      const { scheme, name, port } = parseAddressed(id, "pod");
      return `${scheme}:${name}:${port}`;
    });
    assert.equal(found, answer);
  });
}

test("nobody is asked at addresses of this machine, of its link, or of everybody", () => {
  for (const address of [
    ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "::1", "::", "ff02::1"],
    ...["fe80::1", "febf::1", "::ffff:127.0.0.1", "", "host", "1.2.3"],
  ]) {
    assert.equal(isProxyable(address), false, address);
  }
  for (const address of [
    "10.0.0.1",
    "192.168.1.1",
    "8.8.8.8",
    "fd00::1",
    "2001:db8::1",
    "::ffff:10.0.0.1",
    "240.0.0.1",
  ])
    assert.equal(isProxyable(address), true, address);
});

test("an agent is reached at the first address of the types that are preferred", () => {
  const addresses = [
    { type: "InternalIP", address: "10.0.0.1" },
    { type: "InternalIP", address: "fd00::1" },
    { type: "Hostname", address: "node-a" },
  ];
  const node = { metadata: { name: "n" }, status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1234 } } } };
  const at = (...preferred: string[]) => agentAddress(node, { preferred, port: 10_250 });
  assert.deepEqual(at("Hostname", "InternalIP"), { host: "node-a", port: 1234 });
  assert.deepEqual(at("ExternalIP", "InternalIP"), { host: "10.0.0.1", port: 1234 });
  assert.equal(at("ExternalDNS"), undefined);
  const silent = { metadata: { name: "n" }, status: { addresses } };
  assert.deepEqual(agentAddress(silent, { preferred: ["Hostname"], port: 10_250 }), { host: "node-a", port: 10_250 });
  assert.equal(
    noAddress(node),
    "no preferred addresses found; known addresses: [{InternalIP 10.0.0.1} {InternalIP fd00::1} {Hostname node-a}]",
  );
});

test("what is behind `proxy` goes on as it came, but for empty segments", () => {
  assert.deepEqual(parted("/api/v1/nodes/a/proxy", false), { prefix: "/api/v1/nodes/a/proxy", path: "" });
  assert.deepEqual(parted("/api/v1/nodes/a/proxy/", false), { prefix: "/api/v1/nodes/a/proxy", path: "/" });
  const { prefix, path } = parted("/api/v1/namespaces/n/pods/a/proxy//x///y%2Fz/", true);
  assert.deepEqual([prefix, path], ["/api/v1/namespaces/n/pods/a/proxy", "/x/y%2Fz/"]);
});

test("a redirect to where it comes from leads through the proxy", () => {
  const through = { asked: "10.0.0.1:80", host: "api:6443", prefix: "/p" };
  for (const [location, answer] of [
    ["/x?a#b", "/p/x?a#b"],
    ["http://10.0.0.1:80/x/", "/p/x/"],
    ["https://api:6443/x", "/p/x"],
    ["//10.0.0.1:80/x", "/p/x"],
    ["x", "x"],
    ["", ""],
    ["/p/x", "/p/x"],
    ["http://elsewhere/x", "http://elsewhere/x"],
    ["http://10.0.0.1/x", "http://10.0.0.1/x"],
  ] as const) {
    assert.equal(redirectThrough(location, through), answer, location);
  }
});
