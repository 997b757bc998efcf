import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { differences, parseRow } from "@orch/cel/cases/run.js";
import { readJson } from "@orch/status/read-json.js";
import { answerTo } from "./cases.js";

const file = new URL("../../../../libs/cel/testdata/cases.jsonl", import.meta.url);
const rows = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => parseRow(line, readJson));

/** Those that need more than an expression; the others are run beside the engine. */
for (const kind of ["crd", "policy", "mutation", "webhook"]) {
  for (const row of rows.filter((one) => one.kind === kind)) {
    test(`the reference's answer holds: ${row.id}`, async () => {
      const answer = await answerTo(row, "kubernetes");
      assert.ok(answer, "no such row is run");
      assert.equal(differences(answer.want, answer.got), undefined);
    });
  }
}
