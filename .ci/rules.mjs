// House rules that no linter knows: where time, the environment and the product's words may be named.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const rules = [
  {
    name: "time and the environment are arguments: Date.now and process.env stand in main.ts and the clock only",
    pattern: /\bDate\.now\(|\bprocess\.env\b|\bprocess\.argv\b/,
    except: /(main|clock)\.ts$|\.test\.ts$|\/testing\/|\.bench\.ts$|\/bench\/|^(e2e|bench|deploy)\//,
  },
  {
    name: "the product's words come from libs/naming: no literal group suffix, vendor token or key prefix",
    pattern:
      /["'`][^"'`\n]*(\.k8s\.io|kubernetes\.io\/|vnd\.(orch|kubernetes)|[a-z]\.orch\b(?!config)|\borch\/(?!v\d))[^"'`\n]*["'`]/,
    except: /^libs\/naming\/|\.test\.ts$|\/testing\/|^(e2e|bench|deploy)\//,
    skipLine: /^\s*(\*|\/\/|import |export .* from )|"@orch\//,
  },
];

const sources = [];
const walk = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (["node_modules", "dist", "generated"].includes(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else if (entry.name.endsWith(".ts")) sources.push(path);
  }
};
for (const root of ["libs", "services", "deploy", "e2e", "bench"]) walk(root);

let broken = 0;
for (const path of sources) {
  const lines = readFileSync(path, "utf8").split("\n");
  for (const { name, pattern, except, skipLine } of rules) {
    if (except.test(path)) continue;
    lines.forEach((line, index) => {
      if (!pattern.test(line) || skipLine?.test(line)) return;
      broken += 1;
      console.log(`${path}:${index + 1}: ${name}\n    ${line.trim()}`);
    });
  }
}
console.log(`${sources.length} files, ${broken} breaches`);
process.exit(broken === 0 && sources.length > 50 ? 0 : 1);
