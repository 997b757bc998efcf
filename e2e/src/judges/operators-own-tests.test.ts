import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { goModuleFolder } from "../clients/go-program.js";
import { execute } from "../clients/program.js";
import { buildSaying } from "../harness/foreign-program.js";
import { startStandalone, withoutWorkloads } from "../harness/target.js";

const kro = "github.com/kro-run/kro";
const suite = "test/integration/suites/core";
const program = { module: "operators", package: `${kro}/${suite}`, tests: true };

/** They bring their definitions, run the controller themselves and take whatever cluster they are given. */
test("kro's own integration tests pass", async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "orch-own-tests-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const to = join(folder, "tests");
  const missing = await buildSaying("kro's tests", { ...program, to });
  if (missing !== undefined) return t.skip(`SKIPPED: ${missing}`);
  const target = await startStandalone({ dialect: "kubernetes", args: [withoutWorkloads] });
  t.after(() => target.stop());
  const { code, output } = await execute([to, "-ginkgo.no-color"], {
    cwd: join(await goModuleFolder("operators", kro), suite),
    env: { KUBECONFIG: target.clientConfig, USE_EXISTING_CLUSTER: "true" },
    timeoutMs: 240_000,
  });
  assert.match(output, /^Ran [1-9]\d* of \d+ Specs/m, output.slice(-3000));
  assert.equal(code, 0, output.slice(-6000));
});
