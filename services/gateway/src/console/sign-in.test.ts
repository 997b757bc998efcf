import assert from "node:assert/strict";
import { test } from "node:test";
import { signInProvider } from "./sign-in.js";

const values = {
  console: true,
  "console-oidc-issuer": "https://id.example.com/realms/a",
  "console-oidc-client-id": "console",
  "console-oidc-scopes": ["openid"],
  "console-oidc-token-origin": "",
};

test("flags name a provider, or none", () => {
  const none = { "console-oidc-issuer": "", "console-oidc-client-id": "" };
  assert.equal(signInProvider({ ...values, ...none }), undefined);
  assert.deepEqual(signInProvider({ ...values, "console-oidc-scopes": ["offline_access", "openid"] }), {
    issuer: "https://id.example.com/realms/a",
    clientID: "console",
    scopes: ["openid", "offline_access"],
  });
  const elsewhere = signInProvider({ ...values, "console-oidc-token-origin": "https://Tokens.example.com:443/" });
  assert.equal(elsewhere?.tokenOrigin, "https://tokens.example.com");
});

test("what cannot be one is said with its flag", () => {
  const url = (text: string) => ({
    given: { "console-oidc-issuer": text },
    says: `--console-oidc-issuer: must be an https URL without a user, a query and a fragment: ${JSON.stringify(text)}`,
  });
  const origin = (text: string) => ({
    given: { "console-oidc-token-origin": text },
    says: `--console-oidc-token-origin: must be https://HOST or https://HOST:PORT: ${JSON.stringify(text)}`,
  });
  const together = "--console-oidc-issuer and --console-oidc-client-id must be given together";
  const cases = [
    { given: { "console-oidc-issuer": "" }, says: together },
    { given: { "console-oidc-client-id": "" }, says: together },
    { given: { console: false }, says: "--console-oidc-issuer needs --console" },
    { given: { "console-oidc-scopes": ["a b"] }, says: '--console-oidc-scopes: "a b" is no scope' },
    ...["http://id.example.com", "id.example.com", "https://me@id.example.com", "https://id.example.com/?"].map(url),
    ...["http://a", "https://a/token", "https://me@a", "https://a;b", "*"].map(origin),
    {
      given: { "console-oidc-issuer": "", "console-oidc-client-id": "", "console-oidc-token-origin": "https://a" },
      says: "--console-oidc-token-origin needs --console-oidc-issuer",
    },
    ...["https://id.example.com#a", "https://a;script-src", "https://a,b", "https://a'b"].map(url),
  ];
  for (const { given, says } of cases) assert.throws(() => signInProvider({ ...values, ...given }), { message: says });
});
