import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { engineWarning } from "./engine.js";

test("an older Node than the repository's own is told once at the start", () => {
  assert.equal(
    engineWarning("v20.20.2"),
    "running on the machine's Node v20.20.2: orch is faster on Node 26, which make installs where npm has it",
  );
  assert.equal(engineWarning("v26.0.0"), undefined);
  assert.equal(engineWarning("v28.1.0"), undefined);
});

test("every platform's Node is the one release that the repository brings", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  const versions = new Set(Object.values(optionalDependencies));
  assert.equal(versions.size, 1);
  assert.equal(engineWarning(`v${[...versions][0]}`), undefined);
});
