import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import fc from "fast-check";
import { noVerdict } from "./authenticator.js";
import { bootstrapTokenAuthenticator } from "./bootstrap-token.js";
import { objectMap } from "./testing/object-map.js";

const now = Date.parse("2025-01-01T12:00:00Z");
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const token = "abcdef.0123456789abcdef";

interface Change {
  readonly data?: Readonly<Record<string, string | undefined>>;
  readonly type?: string;
  readonly metadata?: object;
}

function setUp({ data = {}, type, metadata = {} }: Change = {}, dialect: Dialect = "kubernetes") {
  const naming = createNaming(dialect);
  const objects = objectMap();
  const given = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    ...data,
  };
  const encoded = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, base64(value)]]));
  const path = `secrets/${naming.systemName("system")}/bootstrap-token-abcdef`;
  objects.put(path, {
    metadata: { name: "bootstrap-token-abcdef", ...metadata },
    type: type ?? (dialect === "kubernetes" ? "bootstrap.kubernetes.io/token" : "bootstrap.orch/token"),
    data: Object.fromEntries(encoded),
  });
  const authenticator = bootstrapTokenAuthenticator({ naming, objects, now: () => now, apiAudiences: ["api"] });
  return { objects, path, ask: async (text = token) => authenticator.authenticateToken(text, ["api"]) };
}

for (const dialect of ["orch", "kubernetes"] as const) {
  test(`a bootstrap token is a user of its id, in ${dialect}`, async () => {
    assert.deepEqual(await setUp({}, dialect).ask(), {
      outcome: "allow",
      user: {
        name: "system:bootstrap:abcdef",
        uid: "",
        groups: ["system:bootstrappers", "system:authenticated"],
        extra: {},
      },
      audiences: ["api"],
    });
  });
}

test("more groups are added in order, each once", async () => {
  const groups = "system:bootstrappers:z:1,system:bootstrappers:a,system:bootstrappers:a";
  const verdict = await setUp({ data: { "auth-extra-groups": groups } }).ask();
  assert.ok(verdict.outcome === "allow");
  assert.deepEqual(verdict.user.groups, [
    "system:bootstrappers",
    "system:bootstrappers:a",
    "system:bootstrappers:z:1",
    "system:authenticated",
  ]);
});

const good: readonly (readonly [string, Change])[] = [
  ["an end to come", { data: { expiration: "2025-01-01T12:00:01Z" } }],
  ["an end to come in another zone", { data: { expiration: "2025-01-01T14:00:01+02:00" } }],
];
for (const [what, change] of good) {
  test(`a bootstrap token with ${what} is good`, async () => {
    assert.equal((await setUp(change).ask()).outcome, "allow");
  });
}

const wrong: readonly (readonly [string, Change, string?])[] = [
  ["of another secret", {}, "abcdef.0123456789abcdeg"],
  ["of another id", {}, "abcdeg.0123456789abcdef"],
  ["that is no token", {}, "abcdef.0123456789abcde"],
  ["in capitals", {}, "ABCDEF.0123456789abcdef"],
  ["with something behind", {}, `${token}\n`],
  ["whose secret says another id", { data: { "token-id": "abcdeg" } }],
  ["whose secret says no id", { data: { "token-id": undefined } }],
  ["whose secret holds none", { data: { "token-secret": undefined } }],
  ["whose secret is of another type", { type: "Opaque" }],
  ["whose secret is being deleted", { metadata: { deletionTimestamp: "2025-01-01T12:00:00Z" } }],
  ["that is over", { data: { expiration: "2025-01-01T12:00:00Z" } }],
  ["with an end that makes no sense", { data: { expiration: "2099" } }],
  ["with an end that is no day", { data: { expiration: "2099-99-99T00:00:00Z" } }],
  ["that is for signing alone", { data: { "usage-bootstrap-authentication": undefined } }],
  ["whose use is nearly true", { data: { "usage-bootstrap-authentication": "TRUE" } }],
  ["of groups that it may not give", { data: { "auth-extra-groups": "system:masters" } }],
  ["of a group without a name", { data: { "auth-extra-groups": "system:bootstrappers:" } }],
  ["of good groups and an empty one", { data: { "auth-extra-groups": "system:bootstrappers:a," } }],
];
for (const [what, change, given] of wrong) {
  test(`a bootstrap token ${what} is answered as one that does not exist`, async () => {
    assert.deepEqual(await setUp(change).ask(given), noVerdict);
  });
}

test("a token of a secret that is gone is wrong", async () => {
  const { objects, path, ask } = setUp();
  objects.remove(path);
  assert.deepEqual(await ask(), noVerdict);
});

test("while nobody can be asked it is denied", async () => {
  const { objects, ask } = setUp();
  objects.away(true);
  const verdict = await ask();
  assert.equal(verdict.outcome, "deny");
  assert.ok(!JSON.stringify(verdict).includes("0123456789abcdef"));
});

test("what is no bootstrap token is asked for nowhere", async () => {
  const { objects, ask } = setUp();
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      fc.pre(!/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text));
      assert.deepEqual(await ask(text), noVerdict);
    }),
    { numRuns: 1000 },
  );
  assert.deepEqual(objects.asked, []);
});
