import assert from "node:assert/strict";
import { test } from "node:test";

/** What a row of a table expects: the whole text of an error, or a part of it. */
export type Wanted = string | RegExp;

/** A test of its own for one row: exactly these errors, in this order. */
export function expectErrors(what: string, wanted: readonly Wanted[], errors: () => readonly string[]): void {
  test(`${what} gets ${wanted.length === 0 ? "no errors" : wanted.length}`, () => {
    const found = errors();
    assert.equal(found.length, wanted.length, found.join("\n"));
    for (const [i, want] of wanted.entries()) {
      if (typeof want === "string") assert.equal(found[i], want);
      else assert.match(found[i] ?? "", want);
    }
  });
}
