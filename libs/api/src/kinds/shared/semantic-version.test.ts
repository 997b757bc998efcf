import assert from "node:assert/strict";
import { test } from "node:test";
import { compareSemanticVersions, parseSemanticVersion } from "./semantic-version.js";

// semver.org 2.0.0, 11: each comes before the next.
const inOrder = [
  "0.9.0",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.2.0",
  "1.10.0",
];

test("versions come in the order of the standard", () => {
  const versions = inOrder.map((text) => parseSemanticVersion(text) ?? assert.fail(text));
  for (const [i, a] of versions.entries()) {
    for (const [j, b] of versions.entries()) {
      assert.equal(Math.sign(compareSemanticVersions(a, b)), Math.sign(i - j), `${inOrder[i]} and ${inOrder[j]}`);
    }
  }
});

for (const text of ["", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3.4"]) {
  test(`${JSON.stringify(text)} is no version`, () => assert.equal(parseSemanticVersion(text), undefined));
}

test("what a version was built from does not count", () => {
  const [a, b] = [parseSemanticVersion("1.2.3+a"), parseSemanticVersion("1.2.3+b.1")];
  assert.ok(a !== undefined && b !== undefined);
  assert.equal(compareSemanticVersions(a, b), 0);
});
