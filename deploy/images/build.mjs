// Builds the images, with podman or docker, whichever is there.
// node deploy/images/build.mjs [--engine=podman] [--node-image=IMAGE] [--tag=0.1.0] [--from-sources] [TARGET …]
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { programs } from "./programs.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const targets = [...programs.map(({ name }) => name), "standalone"];

const { values, positionals } = parseArgs({
  options: {
    engine: { type: "string", default: "" },
    /** The base; that of the Containerfile where empty. */
    "node-image": { type: "string", default: "" },
    tag: { type: "string", default: version },
    /** Builds everything inside the engine, not of the bundles of this machine. */
    "from-sources": { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !targets.includes(name));
if (unknown.length > 0) fail(`no such target: ${unknown.join(", ")}; there are ${targets.join(", ")}`);

const answers = (engine) => spawnSync(engine, ["--version"], { stdio: "ignore" }).status === 0;
const engine = values.engine || ["podman", "docker"].find(answers);
if (engine === undefined) fail("neither podman nor docker is here");

const revision = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).stdout?.trim() || "unknown";
const builds = {
  BUNDLES: values["from-sources"] ? "build" : "prebuilt",
  VERSION: values.tag,
  REVISION: revision,
  ...(values["node-image"] === "" ? {} : { NODE_IMAGE: values["node-image"] }),
};
// The form of OCI has no health checks.
const form = engine.endsWith("podman") ? ["--format=docker"] : [];
for (const target of positionals.length === 0 ? targets : positionals) {
  const tags = [`orch-${target}:${values.tag}`, `orch-${target}:latest`].flatMap((tag) => ["--tag", tag]);
  const given = Object.entries(builds).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  const file = ["--file", "deploy/images/Containerfile"];
  const { status } = spawnSync(
    engine,
    ["build", "--quiet", ...form, "--target", target, ...given, ...tags, ...file, "."],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  if (status !== 0) fail(`orch-${target}: ${engine} build ended with ${status}`);
  console.log(`built orch-${target}:${values.tag}`);
}

function fail(problem) {
  console.error(`images: ${problem}`);
  process.exit(1);
}
