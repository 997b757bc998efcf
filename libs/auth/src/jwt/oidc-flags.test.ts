import assert from "node:assert/strict";
import { test } from "node:test";
import { authorityCertificate as certificate } from "@orch/api/testing/certificates.js";
import { createNaming } from "@orch/naming/naming.js";
import type { AuthenticationConfiguration } from "./authentication-config.js";
import { hasOidcFlags, type OidcFlags, oidcConfiguration } from "./oidc-flags.js";

const deps = { naming: createNaming("orch"), serviceAccountIssuers: ["https://own"] };
const needed: OidcFlags = { issuerURL: "https://issuer", clientID: "orch" };

function configured(flags: OidcFlags): AuthenticationConfiguration {
  const parsed = oidcConfiguration(flags, deps);
  assert.ok(parsed.ok);
  assert.ok(parsed.value);
  return parsed.value;
}

test("flags become a configuration of one issuer", () => {
  assert.deepEqual(configured(needed), {
    signingAlgorithms: ["RS256"],
    jwt: [
      {
        issuer: { url: "https://issuer", audiences: ["orch"] },
        claimValidationRules: [],
        claimMappings: { username: { claim: "sub", prefix: "https://issuer#" } },
      },
    ],
  });
  const all = configured({
    ...needed,
    certificateAuthority: certificate,
    usernameClaim: "name",
    usernamePrefix: "u:",
    groupsClaim: "roles",
    groupsPrefix: "g:",
    requiredClaims: ["hd=example.com", " tier = a=b ", "hd=example.org"],
    signingAlgs: ["ES256", "PS512"],
  });
  assert.deepEqual(all, {
    signingAlgorithms: ["ES256", "PS512"],
    jwt: [
      {
        issuer: { url: "https://issuer", audiences: ["orch"], certificateAuthority: certificate },
        claimValidationRules: [
          { claim: "hd", requiredValue: "example.org" },
          { claim: "tier", requiredValue: "a=b" },
        ],
        claimMappings: {
          username: { claim: "name", prefix: "u:" },
          groups: { claim: "roles", prefix: "g:" },
        },
      },
    ],
  });
});

test("user names have the issuer before them unless it is said otherwise", () => {
  const rows: readonly (readonly [OidcFlags, string])[] = [
    [{}, "https://issuer#"],
    [{ usernamePrefix: "" }, "https://issuer#"],
    [{ usernamePrefix: "-" }, ""],
    [{ usernamePrefix: "x:" }, "x:"],
    [{ usernameClaim: "email" }, ""],
    [{ usernameClaim: "email", usernamePrefix: "x:" }, "x:"],
    [{ usernameClaim: "email", usernamePrefix: "-" }, ""],
  ];
  for (const [flags, expected] of rows) {
    const mapping = configured({ ...needed, ...flags }).jwt[0]?.claimMappings.username;
    assert.deepEqual(mapping, { claim: flags.usernameClaim ?? "sub", prefix: expected }, JSON.stringify(flags));
  }
});

test("no flags are no configuration", () => {
  const none: OidcFlags = { issuerURL: undefined, requiredClaims: [], signingAlgs: undefined };
  assert.deepEqual(oidcConfiguration(none, deps), { ok: true, value: undefined });
  assert.ok(!hasOidcFlags(none));
  assert.ok(hasOidcFlags({ groupsPrefix: "" }));
  assert.ok(hasOidcFlags({ signingAlgs: ["RS256"] }));
});

test("wrong flags are told", () => {
  const together = "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set";
  const rows: readonly (readonly [OidcFlags, readonly string[]])[] = [
    [{ issuerURL: "https://issuer" }, [together]],
    [{ clientID: "orch" }, [together]],
    [{ usernameClaim: "sub" }, [together]],
    [
      { ...needed, signingAlgs: ["none", "HS256", "EdDSA", "RS256"] },
      ["none", "HS256", "EdDSA"].map((each) => `oidc: unsupported signing alg: "${each}"`),
    ],
    [
      { ...needed, requiredClaims: ["a", "=b", "c=d"] },
      ['oidc-required-claim: malformed pair "a", expect claim=value', "oidc-required-claim: a claim needs a name"],
    ],
    [
      { ...needed, usernameClaim: "" },
      ["jwt[0].claimMappings.username: Required value: claim or expression is required"],
    ],
    [
      { ...needed, issuerURL: "http://issuer" },
      ['jwt[0].issuer.url: Invalid value: "http://issuer": URL scheme must be https'],
    ],
    [
      { ...needed, issuerURL: "https://own" },
      ['jwt[0].issuer.url: Invalid value: "https://own": URL must not overlap with disallowed issuers: [https://own]'],
    ],
    [
      { ...needed, certificateAuthority: "no PEM" },
      [
        'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
      ],
    ],
  ];
  for (const [flags, expected] of rows) {
    const parsed = oidcConfiguration(flags, deps);
    assert.deepEqual(parsed.ok ? [] : parsed.problems, expected, JSON.stringify(flags));
  }
});
