import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type RedisServer, startRedis } from "@orch/access/testing/redis-server.js";
import { createNaming } from "@orch/naming/naming.js";
import { programMissing } from "@orch/store/testing/etcd-server.js";
import { Redis } from "ioredis";
import { type Credentials, connect, type Http } from "./harness/http.js";
import {
  type AccessWebhook,
  allow,
  configuration,
  deny,
  hook,
  startAccessWebhook,
} from "./harness/servers/access-webhook.js";
import { done } from "./harness/status.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const skip = programMissing("redis-server", "redis-server") ?? false;
const naming = createNaming("kubernetes");
const configMaps = "/api/v1/namespaces/default/configmaps";

let folder: string;
let webhook: AccessWebhook;
let redis: RedisServer;
/** Somebody else who can write to Redis. */
let intruder: Redis;
let targets: readonly StandaloneTarget[] = [];
let one: Http;
let other: Http;

before(async () => {
  if (skip !== false) return;
  folder = await newFolder();
  webhook = await startAccessWebhook(naming);
  redis = await startRedis();
  intruder = new Redis(redis.url, { lazyConnect: true });
  intruder.on("error", () => {}); // told by the commands that fail
  const path = join(folder, "authorization.json");
  const keyFile = join(folder, "redis.key");
  await writeFile(keyFile, randomBytes(32).toString("hex"));
  const times = { authorizedTTL: "1h", unauthorizedTTL: "1h", timeout: "5s" };
  await writeFile(path, configuration([hook({ name: "one", webhook, fields: times }), { type: "RBAC", name: "rbac" }]));
  const args = [
    "--secure-port=0",
    `--authorization-config=${path}`,
    `--authentication-token-webhook-config-file=${webhook.configFile}`,
    "--authentication-token-webhook-version=v1",
    `--redis=${redis.url}`,
    `--redis-key-file=${keyFile}`,
  ];
  targets = await Promise.all([startStandalone({ args }), startStandalone({ args })]);
  const [first, second] = targets.map((target) => connect(target));
  assert.ok(first !== undefined && second !== undefined);
  [one, other] = [first, second];
});
after(async () => {
  if (skip !== false) return;
  intruder?.disconnect();
  for (const http of [one, other]) http?.close();
  for (const target of targets) await target.stop();
  await webhook?.close();
  await redis?.stop();
  await removeFolder(folder);
});

const user = (name: string): Credentials => ({ type: "user", name });
const ask = async (http: Http, as: Credentials): Promise<number> => (await http.call({ path: configMaps, as })).status;
const timesAsked = (name: string): number => webhook.askedOf(name).length;
const allowedAs = (reason: string) => ({ status: { allowed: true, reason } });

/** The name under which Redis has the entry with this reason. */
function entryOf(reason: string): Promise<{ readonly name: string; readonly text: string }> {
  return until(`Redis has the entry of ${reason}`, async () => {
    for (const name of await intruder.keys("orch:decisions:*")) {
      const text = await intruder.get(name);
      if (text?.includes(`"${reason}"`)) return { name, text };
    }
    return undefined;
  });
}

async function series(http: Http, text: string): Promise<number> {
  const { text: metrics } = await done(http.get("/metrics"));
  const line = metrics.split("\n").find((each) => each.startsWith(`${text} `));
  return line === undefined ? 0 : Number(line.slice(text.length));
}
const found = (http: Http, where: string): Promise<number> =>
  series(http, `orch_shared_decisions_lookups_total{decisions="authorization",found="${where}"}`);

test("what one gateway was told the other does not ask again: allowed, refused, and whose a token is", {
  skip,
}, async () => {
  webhook.replies.set("friend", allowedAs("of-friend"));
  webhook.replies.set("enemy", deny("of-enemy"));
  const shared = await found(other, "shared");
  assert.equal(await ask(one, user("friend")), 200);
  assert.equal(await ask(one, user("enemy")), 403);
  await Promise.all([entryOf("of-friend"), entryOf("of-enemy")]);
  for (const http of [other, one, other]) {
    assert.equal(await ask(http, user("friend")), 200);
    assert.equal(await ask(http, user("enemy")), 403);
  }
  assert.deepEqual([timesAsked("friend"), timesAsked("enemy")], [1, 1]);
  assert.ok((await found(other, "shared")) >= shared + 2);
  assert.ok((await found(other, "local")) >= 2);

  const token = randomBytes(16).toString("hex");
  webhook.replies.set(token, { status: { authenticated: true, user: { username: "friend", uid: "of-token" } } });
  webhook.replies.set("friend", allowedAs("of-friend-by-token"));
  assert.equal(await ask(one, { type: "token", token }), 200);
  const entry = await entryOf("of-token");
  assert.equal(await ask(other, { type: "token", token }), 200);
  assert.equal(timesAsked(token), 1);
  // Redis never sees the token itself.
  assert.equal(`${entry.name}${entry.text}`.includes(token), false);
});

test("what somebody writes to Redis gives nobody anything", { skip }, async () => {
  webhook.replies.set("model", allowedAs("of-model"));
  assert.equal(await ask(one, user("model")), 200);
  const model = await entryOf("of-model");
  const forgeries: readonly (readonly [what: string, forge: (own: string) => string])[] = [
    ["another's entry", () => model.text],
    ["the own one, changed", (own) => own.replace('"allowed":false,"denied":true', '"allowed":true,"denied":false')],
    ["another's seal", (own) => model.text.slice(0, 43) + own.slice(43).replace('"allowed":false', '"allowed":true')],
    ["none sealed", () => '{"until":9999999999999,"value":{"allowed":true,"denied":false,"reason":""}}'],
    [
      "an empty seal",
      () => `${"A".repeat(43)}{"until":9999999999999,"value":{"allowed":true,"denied":false,"reason":""}}`,
    ],
    ["no text of ours", () => "\u0000\u00ff{"],
    ["very much", () => "x".repeat(2 ** 20)],
  ];
  for (const [i, [what, forge]] of forgeries.entries()) {
    const name = `thief-${i}`;
    webhook.replies.set(name, deny(`of-${name}`));
    assert.equal(await ask(one, user(name)), 403);
    const own = await entryOf(`of-${name}`);
    const forged = forge(own.text);
    assert.notEqual(forged, own.text, what);
    await intruder.set(own.name, forged, "PX", 3_600_000);
    const opened = await series(other, 'orch_shared_decisions_failures_total{operation="open"}');
    assert.equal(await ask(other, user(name)), 403, what);
    assert.equal(timesAsked(name), 2, what);
    assert.ok((await series(other, 'orch_shared_decisions_failures_total{operation="open"}')) > opened, what);
  }
  // A list in the place of a text, and telling everybody to forget: they ask again, that is all.
  webhook.replies.set("thief-list", deny("of-thief-list"));
  await ask(one, user("thief-list"));
  const { name } = await entryOf("of-thief-list");
  await intruder.del(name);
  await intruder.rpush(name, "x");
  assert.equal(await ask(other, user("thief-list")), 403);
  await intruder.publish("orch:decisions:forget", model.name);
  await intruder.publish("orch:decisions:forget", "x".repeat(100_000));
  assert.equal(await ask(one, user("model")), 200);
});

test("Redis that hangs or is killed: right answers all the same, and shared again when it is back", {
  skip,
}, async () => {
  webhook.replies.set("known", allow);
  assert.equal(await ask(one, user("known")), 200);
  const rightAnswers = async (what: string): Promise<void> => {
    const [good, bad] = [`good-${what}`, `bad-${what}`];
    webhook.replies.set(good, allow);
    webhook.replies.set(bad, deny("no"));
    for (const http of [one, other]) {
      assert.equal(await ask(http, user(good)), 200, what);
      assert.equal(await ask(http, user(bad)), 403, what);
      assert.equal(await ask(http, user("known")), 200, what);
    }
    // Each asked for himself.
    assert.deepEqual([timesAsked(good), timesAsked(bad)], [2, 2], what);
  };
  /** Somebody new is asked about once, by both: tried with one after the other, since they connect when they can. */
  const sharedAgain = async (what: string): Promise<void> => {
    let tries = 0;
    await until(`it is shared again (${what})`, async () => {
      const name = `again-${what}-${tries++}`;
      webhook.replies.set(name, allow);
      for (const http of [one, other]) assert.equal(await ask(http, user(name)), 200);
      return timesAsked(name) === 1 ? true : undefined;
    });
  };
  await sharedAgain("before");
  await redis.kill("SIGSTOP");
  try {
    await rightAnswers("hangs");
  } finally {
    await redis.kill("SIGCONT");
  }
  await sharedAgain("hung");
  await redis.kill();
  await rightAnswers("killed");
  await redis.restart();
  await sharedAgain("killed");
  for (const target of targets) assert.match(target.log(), /the shared cache fails; decisions are not shared/);
});
