// The layer rules (.ci/layers.cjs) over every source file; looking at nothing is a failure.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { cruise } from "dependency-cruiser";
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config";

const { forbidden, options } = createRequire(import.meta.url)("./layers.cjs");
const packages = ["libs", "services"].flatMap((group) => readdirSync(group).map((name) => join(group, name, "src")));
const { output } = await cruise(
  [...packages, "deploy/src", "e2e/src", "bench/src"],
  { ...options, ruleSet: { forbidden }, validate: true },
  undefined,
  { tsConfig: extractTsConfig(options.tsConfig.fileName) },
);
const own = output.modules.filter((m) => /^(libs|services|deploy|e2e|bench)\/(?!.*\bdist\/)/.test(m.source));
const packageOf = (path) => /^(?:libs|services)\/[^/]+|^[^/]+/.exec(path)?.[0];
const crossing = own.flatMap((m) =>
  m.dependencies.filter((d) => /^libs\//.test(d.resolved) && packageOf(d.resolved) !== packageOf(m.source)),
);
if (own.length < 50 || crossing.length < 100) {
  console.log(`looked at ${own.length} modules and ${crossing.length} imports of libs: too few to be all`);
  process.exit(1);
}
for (const { rule, from, to } of output.summary.violations) console.log(`${rule.name}: ${from} → ${to}`);
console.log(
  `${own.length} modules, ${crossing.length} imports of libs, ${output.summary.violations.length} violations`,
);
process.exit(output.summary.violations.length === 0 ? 0 : 1);
