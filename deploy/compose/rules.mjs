// Writes prometheus/rules.yaml: the rules of the chart, for the names of docker-compose.yml. With --check it only looks whether they are the same.
import { readFileSync, writeFileSync } from "node:fs";

const names = { $namespace: "orch", $front: "orch-gateway", $release: "orch", $budget: "0.001000" };
const place = new URL("./prometheus/rules.yaml", import.meta.url);
const source = readFileSync(new URL("../../helm/orch/files/rules.yaml", import.meta.url), "utf8");
const [first = ""] = source.split("groups:", 1);
const rules = Object.entries(names).reduce(
  (text, [name, value]) => text.replaceAll(name, value),
  source.slice(first.length),
);
const text = `# Made of helm/orch/files/rules.yaml by deploy/compose/rules.mjs: change them there.\n${rules}`;
if (!process.argv.includes("--check")) writeFileSync(place, text);
else if (readFileSync(place, "utf8") !== text) {
  console.error("deploy/compose/prometheus/rules.yaml is not what rules.mjs makes: run it");
  process.exit(1);
}
