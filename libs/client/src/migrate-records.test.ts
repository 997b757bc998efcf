import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import type { RawRequest } from "./client.js";
import { type MigrateRecordsOptions, migrateRecords } from "./migrate-records.js";

const secrets = { group: "", version: "v1", resource: "secrets" };

/** A server that answers one step after the other; each step is told where it begins. */
function migrate(steps: readonly (object | Error)[], options: MigrateRecordsOptions = {}) {
  const asked: unknown[] = [];
  let at = 0;
  const client = {
    async raw({ method, path, query, body }: RawRequest) {
      asked.push(`${method} ${path} ${query?.["continue"]} ${body}`);
      const step = steps[at++];
      if (step instanceof Error) throw step;
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(step)) };
    },
  };
  return { asked, done: migrateRecords(client, secrets, options) };
}

const step = (next: string, records: number, more: object = {}): object => ({
  ...{ kind: "ObjectHistoryMigration", metadata: next === "" ? {} : { continue: next }, records },
  ...more,
});

test("steps are asked for until one is the last, and added up", async () => {
  const told: string[] = [];
  const { asked, done } = migrate([step("x", 2, { rewritten: 1 }), step("", 3, { unreadable: 1 })], {
    from: "w",
    onStep: ({ next, done: { records } }) => void told.push(`${next} ${records}`),
  });
  assert.deepEqual(await done, { records: 5, rewritten: 1, unreadable: 1 });
  assert.deepEqual(
    asked,
    ["w", "x"].map((from) => `PATCH /api/v1/secrets/-/history ${from} {}`),
  );
  assert.deepEqual(told, ["x 2", " 5"]);
});

test("a collection without a history has no records; what else fails, fails", async () => {
  assert.equal(await migrate([new ApiError("NotFound", "no such path")]).done, undefined);
  await assert.rejects(migrate([new ApiError("Forbidden", "not you")]).done, /not you/);
  await assert.rejects(migrate([{ kind: "Status" }]).done, /no ObjectHistoryMigration/);
  await assert.rejects(migrate([step("x", 1), step("x", 1)]).done, /does not go on/);
});
