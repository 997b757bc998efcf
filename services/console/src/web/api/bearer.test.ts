import assert from "node:assert/strict";
import { test } from "node:test";
import { createBearer, expiryOf, type Renewed } from "./bearer.js";

const jwt = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;

test("a JWT tells when it ends, and nothing else does", () => {
  assert.equal(expiryOf(jwt({ exp: 17, name: "ÿ?>" })), 17_000);
  for (const token of ["", "a", "a.b", "a.e30.c", jwt({ exp: "soon" }), jwt([])])
    assert.equal(expiryOf(token), undefined);
});

test("a refused token is replaced once, whoever asks", async () => {
  let [renewals, taken] = [0, 0];
  const renew = async (): Promise<Renewed> => ({ token: `new-${++renewals}`, taken: () => taken++ });
  const bearer = createBearer({ type: "token", token: "old" }, { renew, now: () => 0 });
  assert.deepEqual(await Promise.all([bearer.isReplaced("old"), bearer.isReplaced("old")]), [true, true]);
  assert.equal(bearer.token(), "new-1");
  assert.equal(await bearer.isReplaced("old"), true);
  assert.deepEqual([renewals, taken], [1, 1]);
  const late = bearer.isReplaced("new-1");
  bearer.stop();
  assert.equal(await late, false, "the session has ended meanwhile");
  assert.deepEqual([renewals, taken], [2, 1]);
  assert.equal(await bearer.isReplaced("new-1"), false);
});

test("a token that nobody renews stays", async () => {
  const bearer = createBearer({ type: "token", token: "old" }, { renew: undefined, now: () => 0 });
  assert.equal(await bearer.isReplaced("old"), false);
  const refusing = async (): Promise<Renewed> => {
    throw new Error("no more");
  };
  const refused = createBearer({ type: "token", token: "old" }, { renew: refusing, now: () => 0 });
  await assert.rejects(refused.isReplaced("old"), { message: "no more" });
  assert.equal(refused.token(), "old");
});

test("a token is replaced before it ends", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const renew = async (): Promise<Renewed> => ({ token: jwt({ exp: 1000 }) });
  const bearer = createBearer({ type: "token", token: jwt({ exp: 100 }) }, { renew, now: () => 0 });
  t.mock.timers.tick(79_000);
  await Promise.resolve();
  assert.equal(expiryOf(bearer.token() ?? ""), 100_000);
  t.mock.timers.tick(1000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(expiryOf(bearer.token() ?? ""), 1_000_000);
  bearer.stop();
});
