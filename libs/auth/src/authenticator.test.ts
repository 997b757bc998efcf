import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type Authenticator, anyOf, type Credentials, type Verdict } from "./authenticator.js";
import { certificateAuthenticator, clientCertificate } from "./client-certificate.js";
import { bearerAuthenticator, bearerToken } from "./token-authenticator.js";
import { parseTokenFile, tokenFileAuthenticator } from "./token-file.js";
import { anonymousUser } from "./user.js";

const naming = createNaming("orch");

function tokens(text: string): Authenticator {
  const file = parseTokenFile(text);
  assert.ok(file.ok);
  return bearerAuthenticator(tokenFileAuthenticator(file.value, { naming, apiAudiences: ["api"] }), ["api"]);
}

const noon = 43_200_000;
const certificates = certificateAuthenticator({ naming, authorities: { has: (one) => one === "CA" }, now: () => noon });
const all = anyOf([certificates, tokens('s3cret,alice,1,"dev,ops"\nother,bob,2\n')]);

const good = { verified: true, notAfter: noon, chain: ["LEAF", "CA"] };
const subject = { CN: "admin", O: ["system:masters", "ops"] };
const admin = clientCertificate(subject, good);
const credentials = (given: Partial<Credentials>): Credentials => ({
  authorization: undefined,
  certificate: undefined,
  headers: {},
  ...given,
});

test("credentials become users", () => {
  const rows: readonly (readonly [Partial<Credentials>, string])[] = [
    [{}, "none"],
    [{ authorization: "Bearer s3cret" }, "alice dev,ops,system:authenticated"],
    [{ authorization: "bearer   s3cret " }, "alice dev,ops,system:authenticated"],
    [{ authorization: "Bearer other" }, "bob system:authenticated"],
    [{ authorization: "Bearer s3cre" }, "deny"],
    [{ authorization: "Bearer __proto__" }, "deny"],
    [{ authorization: "Bearer " }, "none"],
    [{ authorization: "Basic czNjcmV0" }, "none"],
    [{ certificate: admin }, "admin system:masters,ops,system:authenticated"],
    [{ authorization: "Bearer wrong", certificate: admin }, "admin system:masters,ops,system:authenticated"],
    [{ certificate: clientCertificate(subject, { ...good, verified: false }) }, "deny"],
    [{ certificate: clientCertificate(subject, { ...good, notAfter: noon - 1 }) }, "deny"],
    [{ certificate: clientCertificate(subject, { ...good, chain: ["LEAF", "OTHER"] }) }, "deny"],
    [
      {
        authorization: "Bearer s3cret",
        certificate: clientCertificate(subject, { ...good, verified: false }),
      },
      "alice dev,ops,system:authenticated",
    ],
    [{ certificate: clientCertificate({ O: "system:masters" }, good) }, "none"],
    [{ certificate: clientCertificate({ CN: ["first", "last"] }, good) }, "last system:authenticated"],
  ];
  for (const [given, expected] of rows) {
    const verdict = all.authenticate(credentials(given));
    assert.ok(!(verdict instanceof Promise));
    const got = verdict.outcome === "allow" ? `${verdict.user.name} ${verdict.user.groups.join(",")}` : verdict.outcome;
    assert.equal(got, expected, JSON.stringify(given));
  }
});

test("the same certificate gives the same verdict object", () => {
  const ask = () => certificates.authenticate(credentials({ certificate: admin }));
  assert.equal(ask(), ask());
  assert.equal(clientCertificate(undefined, good), undefined);
});

test("authenticators that answer later are waited for in their order", async () => {
  const later = (verdict: Verdict): Authenticator => ({ authenticate: () => Promise.resolve(verdict) });
  const user = anonymousUser(naming);
  const none = later({ outcome: "none" });
  const deny = later({ outcome: "deny", why: "no" });
  const allow = later({ outcome: "allow", user });
  assert.deepEqual(await anyOf([none, deny, allow]).authenticate(credentials({})), { outcome: "allow", user });
  assert.deepEqual(await anyOf([none, deny, none]).authenticate(credentials({})), { outcome: "deny", why: "no" });
});

test("a token without audiences of its own is meant for this server alone", async () => {
  const file = tokenFileAuthenticator([{ token: "t", user: "u", uid: "", groups: [] }], {
    naming,
    apiAudiences: ["a", "b"],
  });
  const rows: readonly (readonly [readonly string[], readonly string[] | undefined])[] = [
    [["a"], ["a"]],
    [["x", "b"], ["b"]],
    [["x"], undefined],
    [[], []],
  ];
  for (const [asked, expected] of rows) {
    const verdict = await file.authenticateToken("t", asked);
    assert.deepEqual(verdict.outcome === "allow" ? verdict.audiences : undefined, expected, JSON.stringify(asked));
  }
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
    assert.deepEqual(file.ok ? file.value : file.problems.join("; "), expected, text);
  }
});

test("only the bearer scheme has a token", () => {
  assert.equal(bearerToken("Bearer a"), "a");
  for (const header of ["", "Bearer", "Bearera", "Token abc", "Bearer\ta"])
    assert.equal(bearerToken(header), undefined);
});
