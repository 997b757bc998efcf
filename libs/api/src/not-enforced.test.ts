import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { loadCatalog } from "./catalog.js";
import { createNotEnforced } from "./not-enforced.js";

for (const dialect of dialects) {
  test(`what has no effect yet warns, and nothing else does, in the ${dialect} dialect`, () => {
    const naming = createNaming(dialect);
    const notEnforced = createNotEnforced(naming);
    const warning = ["1.24", "1.32"]
      .flatMap((release) => loadCatalog(naming, { release, runtimeConfig: ["api/all=true"] }).storedKinds())
      .filter((kind) => notEnforced(kind) !== undefined)
      .map(({ kind }) => kind);
    assert.deepEqual([...new Set(warning)].sort(), ["IPAddress", "PodSecurityPolicy", "ServiceCIDR"]);
  });
}
