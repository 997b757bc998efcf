import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fakeIssuer, signed, signingKey } from "./testing/fake-issuer.js";
import { type Kit, noonSeconds, startedKit } from "./testing/kit.js";

const url = "https://issuer";
const runs = 10_000;

async function started(): Promise<Kit & { readonly good: string }> {
  const key = await signingKey("ES256", "1");
  const issuer = fakeIssuer(url);
  issuer.publish(key);
  const good = await signed(key, { iss: url, aud: "orch", exp: noonSeconds + 3600, sub: "alice" });
  return { ...(await startedKit([issuer])), good };
}

test("no token that was changed anywhere is taken", async () => {
  const { ask, good } = await started();
  const at = fc.nat(good.length);
  const letters = fc.string({ unit: fc.constantFrom(..."ABYZabyz0189-_.=+/ \u0000é"), maxLength: 4 });
  const change = fc.tuple(at, fc.nat(4), letters);
  const changed = fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) =>
      changes.reduce((token, [from, cut, put]) => token.slice(0, from) + put + token.slice(from + cut), good),
    )
    .filter((token) => token !== good);
  let verified = 0;
  await fc.assert(
    fc.asyncProperty(changed, async (token) => {
      const answer = await ask(token);
      if (answer.endsWith("signature")) verified++;
      assert.doesNotMatch(answer, /^allow/);
    }),
    { numRuns: runs },
  );
  assert.ok(verified > 0, "some came as far as the signature");
  assert.equal(await ask(good), "allow alice[]");
});

test("no header and claims are taken without a signature of the issuer", async () => {
  const { ask, good } = await started();
  const [, goodPayload = "", goodSignature = ""] = good.split(".");
  const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const mostly = <T>(...values: readonly T[]) =>
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: fc.jsonValue() });
  const header = fc.record(
    {
      alg: mostly("ES256", "ES256", "RS256", "PS512", "none", "HS256", "EdDSA"),
      kid: mostly("1", ""),
      jwk: fc.jsonValue(),
    },
    { requiredKeys: ["alg"] },
  );
  const critical = fc.record({ alg: fc.constant("ES256"), crit: fc.jsonValue() });
  const claims = fc.record(
    {
      iss: mostly(url),
      aud: mostly<unknown>("orch", ["orch"]),
      exp: mostly(noonSeconds + 60),
      nbf: mostly(noonSeconds),
      sub: mostly("mallory"),
      email_verified: fc.jsonValue(),
      groups: fc.jsonValue(),
    },
    { requiredKeys: ["iss", "aud", "exp", "sub"] },
  );
  const bytes = (size: number) =>
    fc.uint8Array({ minLength: size, maxLength: size }).map((all) => Buffer.from(all).toString("base64url"));
  const token = fc
    .tuple(
      fc.oneof(
        { weight: 8, arbitrary: header.map(json) },
        critical.map(json),
        fc.jsonValue().map(json),
        fc.base64String(),
      ),
      fc.oneof({ weight: 5, arbitrary: claims.map(json) }, fc.constant(goodPayload), fc.base64String()),
      fc.oneof({ weight: 4, arbitrary: bytes(64) }, bytes(0), fc.constant(goodSignature), fc.string()),
    )
    .map((parts) => parts.join("."))
    // The parts of the good token in their places are the good token where the header happens to say the same.
    .filter((each) => each !== good);
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(token, async (each) => {
      const answer = await ask(each);
      outcomes.set(answer, (outcomes.get(answer) ?? 0) + 1);
      assert.doesNotMatch(answer, /^allow/);
    }),
    { numRuns: runs },
  );
  // Else none of them came as far as the signature, and the test says nothing.
  assert.ok((outcomes.get("deny oidc: no key of the issuer made the token's signature") ?? 0) > runs / 20);
});

test("signed claims of any shape are never a fault", async () => {
  const key = await signingKey("ES256", "1");
  const issuer = fakeIssuer(url);
  issuer.publish(key);
  const { ask } = await startedKit([issuer]);
  const shape = fc.record({
    exp: fc.oneof(fc.constant(noonSeconds + 60), fc.jsonValue()),
    sub: fc.jsonValue(),
    groups: fc.jsonValue(),
    jti: fc.jsonValue(),
    nbf: fc.option(fc.jsonValue(), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async (claims) => {
      const answer = await ask(await signed(key, { iss: url, aud: "orch", ...claims }));
      assert.match(answer, /^(allow|deny)/);
      assert.equal(answer.startsWith("allow"), isGood(claims), answer);
    }),
    { numRuns: 1_000 },
  );
});

/** What the rules come to for these claims, told in another way. */
function isGood({ exp, sub, groups, nbf }: Readonly<Record<"exp" | "sub" | "groups" | "nbf", unknown>>): boolean {
  const areTexts = Array.isArray(groups) && groups.every((each) => typeof each === "string");
  return (
    typeof exp === "number" &&
    exp >= noonSeconds &&
    (nbf === undefined || nbf === null || (typeof nbf === "number" && nbf <= noonSeconds + 60)) &&
    typeof sub === "string" &&
    sub.length > 0 &&
    (groups === null || typeof groups === "string" || areTexts)
  );
}
