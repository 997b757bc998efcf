import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, nearest } from "./nearest.js";

test("the nearest word is found where it is near enough", () => {
  const words = ["secure-port", "tls-san", "v"];
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["secure-port", "secure-port"],
    ["secur-port", "secure-port"],
    ["SECURE-PORT", "secure-port"],
    ["tls-sam", "tls-san"],
    ["w", "v"],
    ["secure", undefined],
    ["zzzzzz", undefined],
  ];
  for (const [word, found] of rows) assert.equal(nearest(word, words), found, word);
  assert.equal(nearest("a", []), undefined);
});

test("a suggestion is the end of a sentence, or nothing", () => {
  assert.equal(didYouMean("ap/v1", ["apps/v1", "batch/v1"]), "");
  assert.equal(didYouMean("app/v1", ["apps/v1", "batch/v1"]), " (did you mean apps/v1?)");
});
