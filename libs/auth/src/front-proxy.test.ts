import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { anyOf, type ClientCertificate, type HeaderMap, type Verdict } from "./authenticator.js";
import { certificateAuthenticator } from "./client-certificate.js";
import { type FrontProxyOptions, frontProxyAuthenticator } from "./front-proxy.js";

const naming = createNaming("kubernetes");
const noon = 43_200_000;
const proxy: ClientCertificate = {
  commonName: "front-proxy-client",
  organizations: ["proxies"],
  verified: true,
  notAfter: noon,
  chain: ["LEAF", "PROXIES"],
};
const options: FrontProxyOptions = {
  naming,
  authorities: { has: (one) => one === "PROXIES" },
  allowedNames: ["front-proxy-client"],
  usernameHeaders: ["X-Remote-User", "X-Other-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group", "X-Other-Group"],
  extraHeaderPrefixes: ["X-Remote-Extra-"],
  now: () => noon,
};

function verdictOf(
  headers: HeaderMap,
  { certificate = proxy, ...more }: Partial<FrontProxyOptions> & { certificate?: ClientCertificate | undefined } = {},
): Verdict {
  const verdict = frontProxyAuthenticator({ ...options, ...more }).authenticate({
    authorization: undefined,
    certificate,
    headers,
  });
  assert.ok(!(verdict instanceof Promise));
  return verdict;
}

const alice = { "x-remote-user": ["alice"] };
const userOf = (headers: HeaderMap, more?: Partial<FrontProxyOptions>) => {
  const verdict = verdictOf(headers, more);
  return verdict.outcome === "allow" ? verdict.user : verdict.outcome;
};
const user = (name: string, more: object = {}) => ({
  name,
  uid: "",
  groups: ["system:authenticated"],
  extra: {},
  ...more,
});
const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

const rows: ReadonlyArray<readonly [title: string, headers: HeaderMap, expected: unknown]> = [
  ["a name", alice, user("alice")],
  ["nobody at all", {}, "none"],
  ["an empty name", { "x-remote-user": [""] }, "none"],
  ["the first header that names somebody", { "x-remote-user": [""], "x-other-user": ["bob"] }, user("bob")],
  ["two names: the first", { "x-remote-user": ["alice", "admin"] }, user("alice")],
  ["a name with commas", { "x-remote-user": ["CN=alice, O=ops"] }, user("CN=alice, O=ops")],
  ["a uid", { ...alice, "x-remote-uid": ["7"] }, user("alice", { uid: "7" })],
  [
    "groups of every header, each a value, empty ones not",
    { ...alice, "x-remote-group": ["a", "b, c", ""], "x-other-group": ["d"] },
    user("alice", { groups: ["a", "b, c", "d", "system:authenticated"] }),
  ],
  [
    "extras by the decoded rest of the name",
    { ...alice, "x-remote-extra-scopes": ["a", "b"], "x-remote-extra-example.com%2fkey": ["c"] },
    user("alice", { extra: { scopes: ["a", "b"], "example.com/key": ["c"] } }),
  ],
  [
    "two spellings of a key",
    { ...alice, "x-remote-extra-a%2fb": ["1"], "x-remote-extra-a/b": ["2"] },
    user("alice", { extra: { "a/b": ["1", "2"] } }),
  ],
  [
    "a key that cannot be decoded stays",
    { ...alice, "x-remote-extra-a%zz": ["1"] },
    user("alice", { extra: { "a%zz": ["1"] } }),
  ],
  ["names beyond ASCII", { "x-remote-user": [latin1("älïce✓")] }, user("älïce✓")],
  ["bytes that are no text", { "x-remote-user": ["a\u00ff"] }, "deny"],
  ["a group that is no text", { ...alice, "x-remote-group": ["\u00c3\u0028"] }, "deny"],
  [
    "somebody who is nobody",
    { "x-remote-user": ["system:anonymous"], "x-remote-group": ["system:unauthenticated"] },
    user("system:anonymous", { groups: ["system:unauthenticated"] }),
  ],
  ["nobody without a group", { "x-remote-user": ["system:anonymous"] }, user("system:anonymous", { groups: [] })],
];
for (const [title, headers, expected] of rows) {
  test(`a front proxy tells of ${title}`, () => assert.deepEqual(userOf(headers), expected));
}

test("a key with the name of an object's own is a key", () => {
  const told = userOf({ ...alice, "x-remote-extra-__proto__": ["admin"], "x-remote-extra-constructor": ["c"] });
  assert.ok(typeof told === "object");
  assert.deepEqual(Object.entries(told.extra), [
    ["__proto__", ["admin"]],
    ["constructor", ["c"]],
  ]);
  assert.equal(Object.getPrototypeOf(told.extra), Object.prototype);
});

test("headers count for a proxy that is allowed, and for nobody else", () => {
  const refused: ReadonlyArray<readonly [ClientCertificate | undefined, string]> = [
    [undefined, "none"],
    [{ ...proxy, chain: ["LEAF", "CLIENTS"] }, "deny"],
    [{ ...proxy, verified: false }, "deny"],
    [{ ...proxy, notAfter: noon - 1 }, "deny"],
    [{ ...proxy, commonName: "admin" }, "deny"],
    [{ ...proxy, commonName: "" }, "deny"],
  ];
  for (const [certificate, outcome] of refused) {
    const verdict = frontProxyAuthenticator(options).authenticate({
      authorization: undefined,
      certificate,
      headers: alice,
    });
    assert.ok(!(verdict instanceof Promise));
    assert.equal(verdict.outcome, outcome, JSON.stringify(certificate));
  }
  const anybody = verdictOf(alice, { allowedNames: [], certificate: { ...proxy, commonName: "other" } });
  assert.equal(anybody.outcome, "allow", "without names every certificate of the authorities is a proxy's");
});

test("a client that claims to be somebody is who its certificate says", () => {
  const all = anyOf([
    frontProxyAuthenticator(options),
    certificateAuthenticator({ naming, authorities: { has: (one) => one === "CLIENTS" }, now: () => noon }),
  ]);
  const named = (certificate: ClientCertificate): string => {
    const verdict = all.authenticate({
      authorization: undefined,
      certificate,
      headers: { "x-remote-user": ["admin"], "x-remote-group": ["system:masters"] },
    });
    assert.ok(!(verdict instanceof Promise));
    return verdict.outcome === "allow" ? `${verdict.user.name} ${verdict.user.groups.join(",")}` : verdict.outcome;
  };
  const client = { ...proxy, commonName: "eve", organizations: ["devs"], chain: ["LEAF", "CLIENTS"] };
  assert.equal(named(client), "eve devs,system:authenticated");
  assert.equal(named({ ...client, commonName: "front-proxy-client" }), "front-proxy-client devs,system:authenticated");
  assert.equal(named({ ...proxy, commonName: "eve" }), "deny", "nor is a proxy's certificate a client's");
  assert.equal(named(proxy), "admin system:masters,system:authenticated");
});
