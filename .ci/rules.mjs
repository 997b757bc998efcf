// House rules that no linter knows: where time, the environment and the product's words may be named; expressions that
// somebody has to look at; a lock file for every machine.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkCitations, checkLinks } from "./citations.mjs";
import { checkLockFile } from "./lock-file.mjs";
import { checkModuleUrls } from "./module-urls.mjs";
import { checkRegularExpressions } from "./regular-expressions.mjs";

const rules = [
  {
    // Whether systemd wants to be told is the process's own matter, whichever service runs in it.
    name: "time and the environment are arguments: Date.now and process.env stand in main.ts, the clock and service-manager.ts only",
    pattern: /\bDate\.now\(|\bprocess\.env\b|\bprocess\.argv\b/,
    except:
      /(main|clock|runtime\/src\/service-manager)\.ts$|\.test\.ts$|\/testing\/|\.bench\.ts$|\/bench\/|^(e2e|bench|deploy)\//,
  },
  {
    name: "the product's words come from libs/naming: no literal group suffix, vendor token or key prefix",
    pattern:
      /["'`][^"'`\n]*(\.k8s\.io|kubernetes\.io\/|vnd\.(orch|kubernetes)|[a-z]\.orch\b(?!config)|\borch\/(?!v\d))[^"'`\n]*["'`]/,
    except: /^libs\/naming\/|\.test\.ts$|\/testing\/|^(e2e|bench|deploy)\//,
    skipLine: /^\s*(\*|\/\/|import |export .* from )|"@orch\//,
  },
  {
    name: "JSON is read by readJson of libs/status: JSON.parse confuses keys with escapes since V8 12.8",
    pattern: /\bJSON\.parse\(/,
    except:
      /^libs\/status\/src\/read-json\.ts$|\.test\.ts$|\/testing\/|\.bench\.ts$|\.suite\.ts$|^(e2e|bench|deploy)\//,
    skipLine: /^\s*(\*|\/\/)/,
  },
];

const sources = [];
const documents = ["README.md", "CONTRIBUTING.md"];
const walk = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (["node_modules", "dist", "generated"].includes(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else if (/\.tsx?$/.test(entry.name)) sources.push(path);
    else if (entry.name.endsWith(".md")) documents.push(path);
  }
};
for (const root of ["libs", "services", "deploy", "docs", "e2e", "bench"]) walk(root);

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
/** The gates that the help calls acting are those that some source asks for. */
function actingGates() {
  const asked = new Set();
  for (const path of sources.filter((path) => !path.endsWith(".test.ts"))) {
    for (const [, name] of readFileSync(path, "utf8").matchAll(/\bgates\.enabled\("(\w+)"\)/g)) asked.add(name);
  }
  const list = readFileSync("libs/runtime/src/flags/feature-gate-list.ts", "utf8");
  const told = /actingGates[^[]*\[([^\]]*)\]/.exec(list)?.[1] ?? "";
  const named = new Set([...told.matchAll(/"(\w+)"/g)].map(([, name]) => name));
  return { asked, named };
}

const { asked, named } = actingGates();
for (const name of new Set([...asked, ...named])) {
  if (asked.has(name) && named.has(name)) continue;
  broken += 1;
  console.log(
    `feature gate ${name}: ${asked.has(name) ? "asked for, not" : "nobody asks for it, but it is"} among actingGates`,
  );
}
if (asked.size === 0) broken += 1;
for (const problem of [
  ...checkRegularExpressions(sources),
  ...checkCitations(sources),
  ...checkLinks(documents),
  ...checkLockFile(),
  ...checkModuleUrls(sources),
]) {
  broken += 1;
  console.log(problem);
}
console.log(`${sources.length} files, ${broken} breaches`);
process.exit(broken === 0 && sources.length > 50 ? 0 : 1);
