import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { authorityCertificate as certificate } from "@orch/api/testing/certificates.js";
import { anyOf } from "@orch/auth/authenticator.js";
import { certificateAuthenticator, certificateBundle } from "@orch/auth/client-certificate.js";
import { alwaysDeny } from "@orch/auth/fixed-authorizers.js";
import { frontProxyAuthenticator } from "@orch/auth/front-proxy.js";
import { createJwtAuthenticator } from "@orch/auth/jwt/jwt-authenticator.js";
import { configurationOf, fakeIssuer, signed, signingKey } from "@orch/auth/jwt/testing/fake-issuer.js";
import { serviceAccountAuthenticator } from "@orch/auth/service-account/authenticator.js";
import { tokenIssuer } from "@orch/auth/service-account/token-issuer.js";
import { objectMap } from "@orch/auth/testing/object-map.js";
import { anyToken, bearerAuthenticator, type TokenAuthenticator } from "@orch/auth/token-authenticator.js";
import { parseTokenFile, tokenFileAuthenticator } from "@orch/auth/token-file.js";
import { anonymousUser } from "@orch/auth/user.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import { fakeExchange } from "../testing/fake-exchange.js";
import { createIdentity, type Identity } from "./identity.js";

const naming = createNaming("kubernetes");
const runs = 10_000;
const now = (): number => 1_700_000_000_000;
const seconds = now() / 1000;
const apiAudiences = ["api"];
const issuer = "https://issuer.example";
const accounts = "https://cluster.example";
/** Of the processor; what grows faster than its input takes far longer. */
const slowMs = 500;

interface World {
  readonly identity: Identity;
  /** Tokens that are right, each of another sort. */
  readonly good: readonly string[];
  /** Failures that were counted, in all. */
  failures(): number;
  /** What the log was told of them. */
  readonly told: readonly string[];
}

async function createWorld(): Promise<World> {
  const { tokens, good } = await tokenAuthenticators();
  const nobody = certificateBundle(certificate);
  assert.ok(nobody.ok);
  const authorities = nobody.value;
  let failures = 0;
  const told: string[] = [];
  const identity = createIdentity({
    naming,
    authenticator: anyOf([
      frontProxyAuthenticator({
        ...{ naming, authorities, now, allowedNames: [] },
        ...{ usernameHeaders: ["X-Remote-User"], uidHeaders: ["X-Remote-Uid"], groupHeaders: ["X-Remote-Group"] },
        extraHeaderPrefixes: ["X-Remote-Extra-"],
      }),
      certificateAuthenticator({ naming, now, authorities }),
      bearerAuthenticator(tokens, apiAudiences),
    ]),
    anonymous: () => anonymousUser(naming),
    authorizer: alwaysDeny,
    failedLogins: { blocked: () => undefined, failed: () => void failures++, worked: () => {} },
    refused: (why) => void told.push(why),
  });
  return { identity, good, failures: () => failures, told };
}

async function tokenAuthenticators(): Promise<{
  readonly tokens: TokenAuthenticator;
  readonly good: readonly string[];
}> {
  const file = parseTokenFile("token-of-the-file,ann,1,dev\n");
  assert.ok(file.ok);
  const key = await signingKey("ES256", "1");
  const published = fakeIssuer(issuer);
  published.publish(key);
  const jwt = createJwtAuthenticator(
    { jwt: [configurationOf(issuer)], signingAlgorithms: ["ES256"] },
    {
      ...{ naming, apiAudiences, now, fetchJson: published.fetchJson, fetchText: () => Promise.resolve("") },
      after: () => () => {},
      observer: { authenticated: () => {}, fetched: () => {} },
    },
  );
  jwt.start();
  const pem = generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
  const objects = objectMap();
  objects.put("serviceaccounts/ns/app", { metadata: { uid: "sa-1" } });
  const account = await tokenIssuer({
    ...{ naming, issuer: accounts, signingKeyPem: pem, now, newUid: () => "jti-1" },
  }).issue({
    namespace: "ns",
    serviceAccount: { name: "app", uid: "sa-1" },
    audiences: apiAudiences,
    seconds: 3600,
  });
  return {
    tokens: anyToken([
      tokenFileAuthenticator(file.value, { naming, apiAudiences }),
      serviceAccountAuthenticator({
        ...{ naming, apiAudiences, objects, now },
        ...{ issuers: [accounts], keys: [pem], lookup: true, legacy: true },
      }),
      jwt,
    ]),
    good: [
      "token-of-the-file",
      account,
      await signed(key, { iss: issuer, aud: "orch", exp: seconds + 3600, sub: "alice" }),
    ],
  };
}

/** Who is let in, or the code of the refusal. @throws whatever is no refusal */
async function ask(
  { identity, failures, told }: World,
  headers: Readonly<Record<string, string>>,
): Promise<string | number> {
  const { request } = fakeExchange({ target: "/api", headers });
  const before = failures();
  const cpu = process.cpuUsage();
  const outcome = await codeOr(async () => (await identity.authenticate(request)).name);
  const { user, system } = process.cpuUsage(cpu);
  assert.ok((user + system) / 1000 < slowMs, `${(user + system) / 1000} ms`);
  assert.equal(failures() - before, outcome === 401 ? 1 : 0, "a failure is counted once, nothing else is");
  assert.equal(told.length, failures(), "and told once");
  return outcome;
}

async function codeOr<T>(run: () => Promise<T>): Promise<T | number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 401) assert.equal(error.message, "Unauthorized");
    return error.code;
  }
}

/** Pieces of text that parsers of headers and tokens look for. */
const pieces = fc.constantFrom(
  ...[
    "Bearer ",
    "bearer",
    "Basic ",
    "Digest ",
    " ",
    "\t",
    ".",
    "..",
    "=",
    "==",
    ",",
    ";",
    '"',
    "-",
    "_",
    "+",
    "/",
    "%00",
  ],
  ...["eyJhbGciOiJub25lIn0", "e30", "W10", "bnVsbA", "\u0000", "\u00ff", "é", "abcdef.0123456789abcdef", "AAAA", "\\"],
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 40 }),
  // As long as a header may be, and longer than any token.
  fc
    .tuple(pieces, fc.constantFrom(1_000, 16_384, 65_536), pieces)
    .map(([head, length, unit]) => head + unit.repeat(length / unit.length)),
);

/** Texts that were right before something in them was changed. */
function changed(good: readonly string[]): fc.Arbitrary<string> {
  const change = fc.tuple(fc.noBias(fc.nat(999)), fc.nat(4), fc.oneof(pieces, fc.string()));
  return fc.tuple(fc.constantFrom(...good), fc.array(change, { minLength: 1, maxLength: 3 })).map(([whole, changes]) =>
    changes.reduce((text, [where, cut, put]) => {
      const at = Math.floor((where * (text.length + 1)) / 1000);
      return text.slice(0, at) + put + text.slice(at + cut);
    }, whole),
  );
}

/** What is the same token to every reader of headers: the scheme in any case, blanks around. */
const spellsOneOf = (header: string, good: readonly string[]): boolean =>
  good.some((token) => /^bearer /i.test(header) && header.slice(7).trim() === token);

test("no header that is not exactly right lets anybody in, costs much or meets an error", async () => {
  const world = await createWorld();
  const { good } = world;
  for (const [i, name] of ["ann", "system:serviceaccount:ns:app", "alice"].entries()) {
    assert.equal(await ask(world, { authorization: `Bearer ${good[i]}` }), name, "the right ones are taken");
  }
  const headers = good.map((token) => `Bearer ${token}`);
  const seen = new Map<string | number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 3, arbitrary: changed(headers) }, { weight: 1, arbitrary: texts }),
      async (authorization) => {
        fc.pre(!spellsOneOf(authorization, good));
        const outcome = await ask(world, { authorization });
        assert.ok(outcome === 401 || outcome === naming.anonymousUser, String(outcome));
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      },
    ),
    { numRuns: runs },
  );
  const reasons = new Set(world.told);
  assert.ok(reasons.size < 50, `reasons tell nothing of what was sent: ${[...reasons].join("; ").slice(0, 1_000)}`);
  assert.ok((seen.get(401) ?? 0) > runs / 4, "many are tokens that are wrong");
  assert.ok((seen.get(naming.anonymousUser) ?? 0) > runs / 50, "and some are none");
  for (const authorization of headers) assert.equal(typeof (await ask(world, { authorization })), "string");
});

test("no set of headers makes a user without credentials, nor another one of whom it has", async () => {
  const world = await createWorld();
  const value = fc.oneof(fc.constantFrom("admin", "system:masters", "", "ann", "system:anonymous"), texts);
  const suffix = fc.oneof(fc.constantFrom("a", "__proto__", "constructor", "%zz", "%2f", "length"), fc.webSegment());
  const name = fc.oneof(
    fc.constantFrom("x-remote-user", "x-remote-group", "x-remote-uid", "impersonate-user", "impersonate-group"),
    fc.constantFrom("impersonate-uid", "impersonate-", "authorization", "proxy-authorization", "cookie", "__proto__"),
    suffix.map((key) => `x-remote-extra-${key}`),
    suffix.map((key) => `impersonate-extra-${key}`),
  );
  const sets = fc
    .array(fc.tuple(name, value), { maxLength: 6 })
    .map((entries): Readonly<Record<string, string>> => Object.fromEntries(entries));
  const seen = new Map<string | number, number>();
  await fc.assert(
    fc.asyncProperty(sets, async (headers) => {
      const outcome = await ask(world, headers);
      assert.ok(outcome === 401 || outcome === naming.anonymousUser, String(outcome));
      if (outcome === 401) return;
      const { request } = fakeExchange({ target: "/api", headers });
      const sender = anonymousUser(naming);
      const taken = await codeOr(async () => await world.identity.impersonated(request, sender));
      const asks = Object.entries(headers).some(
        ([each, text]) => each.startsWith("impersonate-") && (each !== "impersonate-user" || text !== ""),
      );
      assert.deepEqual(asks ? [400, 403].includes(Number(taken)) : taken === sender, true, JSON.stringify(taken));
      const code = typeof taken === "number" ? taken : "itself";
      seen.set(code, (seen.get(code) ?? 0) + 1);
    }),
    { numRuns: runs },
  );
  for (const code of [400, 403, "itself"]) assert.ok((seen.get(code) ?? 0) > runs / 100, `${code}: ${seen.get(code)}`);
});
