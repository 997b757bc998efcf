import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type Authenticator, anyOf, type Credentials, orAnonymous, type Verdict } from "./authenticator.js";
import { certificateAuthenticator, clientCertificate } from "./client-certificate.js";
import { bearerToken, parseTokenFile, tokenAuthenticator } from "./token-file.js";
import { anonymousUser } from "./user.js";

const naming = createNaming("orch");

function tokens(text: string): Authenticator {
  const file = parseTokenFile(text);
  assert.ok(file.ok);
  return tokenAuthenticator(file.entries, naming);
}

const all = orAnonymous(
  anyOf([certificateAuthenticator(naming), tokens('s3cret,alice,1,"dev,ops"\nother,bob,2\n')]),
  anonymousUser(naming),
);

const admin = clientCertificate({ CN: "admin", O: ["system:masters", "ops"] }, true);
const foreign = clientCertificate({ CN: "admin", O: "system:masters" }, false);
const nameless = clientCertificate({ O: "system:masters" }, true);

test("credentials become users", () => {
  const rows: readonly (readonly [Credentials, string])[] = [
    [{}, "system:anonymous system:unauthenticated"],
    [{ authorization: "Bearer s3cret" }, "alice dev,ops,system:authenticated"],
    [{ authorization: "bearer   s3cret " }, "alice dev,ops,system:authenticated"],
    [{ authorization: "Bearer other" }, "bob system:authenticated"],
    [{ authorization: "Bearer s3cre" }, "deny"],
    [{ authorization: "Bearer __proto__" }, "deny"],
    [{ authorization: "Bearer " }, "system:anonymous system:unauthenticated"],
    [{ authorization: "Basic czNjcmV0" }, "system:anonymous system:unauthenticated"],
    [{ ...(admin && { certificate: admin }) }, "admin system:masters,ops,system:authenticated"],
    [
      { authorization: "Bearer wrong", ...(admin && { certificate: admin }) },
      "admin system:masters,ops,system:authenticated",
    ],
    [{ ...(foreign && { certificate: foreign }) }, "deny"],
    [
      { authorization: "Bearer s3cret", ...(foreign && { certificate: foreign }) },
      "alice dev,ops,system:authenticated",
    ],
    [{ ...(nameless && { certificate: nameless }) }, "system:anonymous system:unauthenticated"],
  ];
  for (const [credentials, expected] of rows) {
    const verdict = all.authenticate(credentials);
    assert.ok(!(verdict instanceof Promise));
    const got = verdict.outcome === "allow" ? `${verdict.user.name} ${verdict.user.groups.join(",")}` : verdict.outcome;
    assert.equal(got, expected, JSON.stringify(credentials));
  }
});

test("the same certificate gives the same verdict object", () => {
  const authenticator = certificateAuthenticator(naming);
  assert.ok(admin);
  assert.equal(authenticator.authenticate({ certificate: admin }), authenticator.authenticate({ certificate: admin }));
  assert.equal(clientCertificate(undefined, false), undefined);
});

test("authenticators that answer later are waited for in their order", async () => {
  const later = (verdict: Verdict): Authenticator => ({ authenticate: () => Promise.resolve(verdict) });
  const user = anonymousUser(naming);
  const none = later({ outcome: "none" });
  const deny = later({ outcome: "deny", why: "no" });
  const allow = later({ outcome: "allow", user });
  assert.deepEqual(await anyOf([none, deny, allow]).authenticate({}), { outcome: "allow", user });
  assert.deepEqual(await anyOf([none, deny, none]).authenticate({}), { outcome: "deny", why: "no" });
  assert.deepEqual(await orAnonymous(anyOf([deny]), user).authenticate({}), { outcome: "deny", why: "no" });
  assert.deepEqual(await orAnonymous(anyOf([none]), user).authenticate({}), { outcome: "allow", user });
});

test("token files are read column by column", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["", []],
    ["t,u,1\r\n\r\n", [{ token: "t", user: "u", uid: "1", groups: [] }]],
    ['t,u,1,"a, b,"', [{ token: "t", user: "u", uid: "1", groups: ["a", "b"] }]],
    ["t,u,,a", [{ token: "t", user: "u", uid: "", groups: ["a"] }]],
    ['"t""x", u ,1,g,more', [{ token: 't"x', user: "u", uid: "1", groups: ["g"] }]],
    ["t,u,1\nt2,u", "line 2: needs three columns (token, user name, user uid), has 2"],
    [",u,1", "line 1: token and user name must not be empty"],
    ["t,,1", "line 1: token and user name must not be empty"],
    ["t,u,1\nt,v,2", "line 2: the token was given before"],
    ['t,u,1,"a', "line 1: a quote is not closed or stands in the wrong place"],
    ['t,u,1,a"b"', "line 1: a quote is not closed or stands in the wrong place"],
  ];
  for (const [text, expected] of rows) {
    const file = parseTokenFile(text);
    assert.deepEqual(file.ok ? file.entries : file.problem, expected, text);
  }
});

test("only the bearer scheme has a token", () => {
  assert.equal(bearerToken("Bearer a"), "a");
  for (const header of ["", "Bearer", "Bearera", "Token abc", "Bearer\ta"])
    assert.equal(bearerToken(header), undefined);
});
