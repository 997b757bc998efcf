import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { ConfigurationKind } from "../configuration.js";
import { readConfigurations } from "../read-configurations.js";

/** A rule of a kind: what a file says beside its version and kind, and what is said of it. */
interface RuleRow {
  readonly rule: string;
  readonly given: JsonObject;
  /** Problems, all of them; none where the file is taken. */
  readonly says: readonly string[];
}

/** A default: of a file that says `given` (absent: nothing), the value at a path (`profiles.0.schedulerName`). */
interface DefaultRow {
  readonly at: string;
  readonly is: unknown;
  readonly given?: JsonObject;
}

export interface Rows {
  readonly kind: string;
  readonly apiVersion: string;
  readonly defaults: readonly DefaultRow[];
  readonly rules: readonly RuleRow[];
}

/** Rows of a file in `testdata`. */
export function rowsOf(name: string): readonly Rows[] {
  return JSON.parse(readFileSync(new URL(`../../testdata/${name}.json`, import.meta.url), "utf8"));
}

/** A test for each row, in the `orch` dialect. */
export function testRows(tables: readonly Rows[], kinds: readonly ConfigurationKind[]): void {
  for (const { kind, apiVersion, defaults, rules } of tables) {
    const read = (given: JsonObject) => readConfigurations(JSON.stringify({ apiVersion, kind, ...given }), kinds);
    for (const { at, is, given = {} } of defaults) {
      const where = Object.keys(given).length === 0 ? "" : ` with ${JSON.stringify(given)}`;
      test(`${kind}: ${at} is ${JSON.stringify(is)}${where}`, () => {
        const file = read(given);
        assert.ok(file.ok, file.ok ? "" : file.problems.join("; "));
        assert.deepEqual(valueAt(file.documents[0]?.value, at) ?? null, is);
      });
    }
    for (const { rule, given, says } of rules) {
      test(`${kind}: ${rule}`, () => {
        const file = read(given);
        assert.deepEqual(file.ok ? [] : file.problems, says);
      });
    }
    test(`${kind}: each rule is there once`, () => {
      for (const [i, row] of rules.entries()) {
        assert.equal(
          rules.findIndex(({ given }) => isDeepStrictEqual(given, row.given)),
          i,
          row.rule,
        );
      }
    });
  }
}

function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path === "" ? [] : path.split(".")) {
    found = Array.isArray(found) ? found[Number(step)] : isObject(found) ? found[step] : undefined;
  }
  return found;
}
