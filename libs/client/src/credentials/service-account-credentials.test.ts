import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Client } from "../client.js";
import { serviceAccountCredentials } from "./service-account-credentials.js";

const start = Date.parse("2026-01-01T00:00:00Z");

/** A server with at most one account, whose tokens live as long as is asked. */
function setup({ account = true, bodies = [] as readonly string[] } = {}) {
  const log: string[] = [];
  let time = start;
  let exists = account;
  let away = false;
  let given = 0;
  const left = [...bodies];
  const client: Pick<Client, "raw" | "create"> = {
    async raw({ method, path, body }) {
      log.push(`${method} ${path}`);
      if (away) throw new ApiError("ServiceUnavailable", "away");
      if (!exists) throw new ApiError("NotFound", "no account");
      const { apiVersion, kind, spec } = JSON.parse(String(body));
      assert.deepEqual([apiVersion, kind], ["authentication.k8s.io/v1", "TokenRequest"]);
      const expirationTimestamp = new Date(time + spec.expirationSeconds * 1000).toISOString();
      const answer = left.shift() ?? JSON.stringify({ status: { token: `t${++given}`, expirationTimestamp } });
      return { status: 201, headers: {}, body: Buffer.from(answer) };
    },
    async create({ namespace }, object) {
      log.push(`create ${namespace}/${object.metadata.name}`);
      exists = true;
      if (account) throw new ApiError("AlreadyExists", "somebody was faster");
      return object;
    },
  };
  const source = serviceAccountCredentials({
    client,
    naming: createNaming("kubernetes"),
    namespace: "kube-system",
    name: "gc",
    now: () => time,
  });
  return {
    log,
    source,
    shown: async () => (await source.current()).authorization,
    at: (seconds: number) => {
      time = start + seconds * 1000;
    },
    remove: () => {
      exists = false;
    },
    goAway: (is: boolean) => {
      away = is;
    },
  };
}

const ask = "POST /api/v1/namespaces/kube-system/serviceaccounts/gc/token";

test("a token is asked for once and again at four fifths of its life", async () => {
  const { log, at, shown } = setup();
  assert.equal(await shown(), "Bearer t1");
  at(2879);
  assert.equal(await shown(), "Bearer t1");
  at(2880);
  assert.equal(await shown(), "Bearer t2");
  assert.deepEqual(log, [ask, ask]);
});

test("an account that is missing is created, whoever is faster", async () => {
  const { log, shown } = setup({ account: false });
  assert.equal(await shown(), "Bearer t1");
  assert.deepEqual(log, [ask, "create kube-system/gc", ask]);
  const other = setup();
  other.remove();
  assert.equal(await other.shown(), "Bearer t1");
  assert.deepEqual(other.log, [ask, "create kube-system/gc", ask]);
});

test("a token serves on while the server is away, and not when it has expired or was refused", async () => {
  const { source, at, shown, goAway } = setup();
  await shown();
  goAway(true);
  at(3599);
  assert.equal(await shown(), "Bearer t1");
  at(3610);
  await assert.rejects(shown(), { reason: "ServiceUnavailable" });
  goAway(false);
  assert.equal(await shown(), "Bearer t2");
  source.refused(await source.current());
  assert.equal(await shown(), "Bearer t3");
});

for (const body of ["", "{}", '{"status":{}}', '{"status":{"token":"s3cret"}}', '{"status":{"token":"s3cret\\n"}}']) {
  test(`an answer of ${body} is refused without being quoted`, async () => {
    const { shown } = setup({ bodies: [body] });
    const error = await shown().catch(String);
    assert.match(error ?? "", /no credentials: the answer/);
    assert.doesNotMatch(error ?? "", /s3cret/);
    assert.equal(await shown(), "Bearer t1");
  });
}
