import assert from "node:assert/strict";
import { test } from "node:test";
import type { Span } from "@orch/status/span.js";
import { type Passing, passedAnswer, passedRequest, passedUpgrade, secretHeaders, userList } from "./passed-headers.js";
import { userHeaders } from "./testing/backend.js";

const passing: Passing = {
  headers: {},
  onBehalf: { user: { name: "jane", uid: "", groups: [], extra: {} }, userHeaders },
  secret: secretHeaders(["X-My-User"], ["X-My-Extra-"]),
  ...{ id: "i", address: "127.0.0.1", path: "/apis/g/v1", host: "h", upgrade: undefined },
};

const pairs = (list: readonly string[]) => list.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${list[i + 1]}`] : []));
const usual = [
  "Audit-Id: i",
  "X-Forwarded-For: 127.0.0.1",
  "X-Forwarded-Host: h",
  "X-Forwarded-Proto: https",
  "X-Forwarded-Uri: /apis/g/v1",
  "X-Remote-User: jane",
];

const rows: readonly (readonly [what: string, headers: Passing["headers"], passed: readonly string[]])[] = [
  ["an ordinary one", { accept: ["a", "b"] }, ["accept: a", "accept: b"]],
  ["credentials", { authorization: ["Bearer x"], "proxy-authorization": ["y"] }, []],
  ["whom the client wants to be", { "impersonate-user": ["a"], "impersonate-extra-x": ["b"] }, []],
  ["whom a front proxy names", { "x-remote-user": ["a"], "x-my-user": ["b"], "x-my-extra-c": ["d"] }, []],
  ["what is of the connection", { connection: ["x-a, close"], "x-a": ["1"], "x-b": ["2"], te: ["t"] }, ["x-b: 2"]],
  ["what HTTP/2 calls a header", { ":path": ["/"], ":authority": ["h"] }, []],
  ["a token among protocols", { "sec-websocket-protocol": ["token.x, a"] }, ["sec-websocket-protocol: a"]],
  ["a token as the only protocol", { "sec-websocket-protocol": ["token.x"] }, []],
];

for (const [what, headers, passed] of rows) {
  test(`${what} ${passed.length === 0 ? "does not pass" : "passes"}`, () => {
    assert.deepEqual(pairs(passedRequest({ ...passing, headers }, "token.")), [...passed, ...usual]);
  });
}

test("a user whom no header can name is not told in one", () => {
  for (const name of ["a\r\nX-Remote-Group: system:masters", "a\0", "\x7f"]) {
    assert.throws(() => userList({ name, uid: "", groups: [], extra: {} }, userHeaders), TypeError);
  }
});

test("names are told as bytes of UTF-8, keys with escapes", () => {
  const user = { name: "ä", uid: "", groups: ["ö"], extra: { "a/ä": ["1"] } };
  const utf8 = (text: string) => Buffer.from(text).toString("latin1");
  assert.deepEqual(pairs(userList(user, userHeaders)), [
    `X-Remote-User: ${utf8("ä")}`,
    `X-Remote-Group: ${utf8("ö")}`,
    "X-Remote-Extra-a%2F%C3%A4: 1",
  ]);
});

test("of an answer passes what is neither of its connection nor ours to say", () => {
  const raw = [
    "Connection",
    "x-a",
    "X-A",
    "1",
    "Set-Cookie",
    "a",
    "Set-Cookie",
    "b",
    "cache-control",
    "c",
    "Audit-ID",
    "d",
  ];
  assert.deepEqual(pairs(passedAnswer(raw)), ["Set-Cookie: a", "Set-Cookie: b", "Cache-Control: c"]);
});

test("nobody but the server that was asked speaks for all of its paths", () => {
  const names = [
    "Strict-Transport-Security",
    "Access-Control-Allow-Origin",
    "Service-Worker-Allowed",
    "Alt-Svc",
    "NEL",
  ];
  const raw = ["Connection", "Upgrade", "Upgrade", "a", ...names.flatMap((name) => [name, "x"]), "Audit-Id", "i"];
  assert.deepEqual(pairs(passedAnswer(raw)), []);
  assert.deepEqual(pairs(passedUpgrade(raw)), ["Connection: Upgrade", "Upgrade: a"]);
});

test("a server of others is told of the trace by our span, and not by the client's headers", () => {
  const span: Span = {
    ...{ traceparent: "00-ours", tracestate: "", auditId: "i" },
    child: () => span,
    event() {},
    set() {},
    end() {},
  };
  const headers = { traceparent: ["00-theirs"], tracestate: ["a=b"] };
  const told = (given: Pick<Passing, "span">) =>
    pairs(passedRequest({ ...passing, ...given, headers }, "token.")).filter((pair) => pair.startsWith("trace"));
  assert.deepEqual(told({ span }), ["traceparent: 00-ours"]);
  // Without tracing here a trace goes on as it came.
  assert.deepEqual(told({}), ["traceparent: 00-theirs", "tracestate: a=b"]);
});
