// Packs orch for npm: the bundle of all commands, small programs that look at the version of Node first, and lmdb as the
// one package that is installed with it.
// node deploy/package/pack.mjs [--output=dist/package]
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nativePackages } from "../images/programs.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const { values } = parseArgs({ options: { output: { type: "string", default: join(root, "dist", "package") } } });
const output = resolve(values.output);
const folder = join(output, "orch");

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (status === 0) return;
  console.error(`package: ${command} ${args.join(" ")} ended with ${error?.message ?? status}`);
  process.exit(1);
}

const read = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
const { version, description, engines } = read("package.json");

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
run(process.execPath, [join(root, "deploy/images/bundle.mjs"), `--output=${output}`, "cli"], root);
// What npm installs, and what only containers ask for.
const leftOut = new Set(["node_modules", "package.json", "healthcheck.js"].map((name) => join(output, "cli", name)));
cpSync(join(output, "cli"), join(folder, "lib"), { recursive: true, filter: (path) => !leftOut.has(path) });
rmSync(join(output, "cli"), { recursive: true });

/** The oldest Node as `engines` says it: `>=20.19`. */
const oldest = engines.node.replace(/^>=/, "");
const program = readFileSync(join(here, "program.cjs"), "utf8").replaceAll("OLDEST", oldest);
const bin = {
  orch: "main.js",
  "orch-envtest": "orch-envtest.js",
  orchadm: "orchadm.js",
  "kubectl-orch": "kubectl-orch.js",
};
mkdirSync(join(folder, "bin"));
for (const [name, file] of Object.entries(bin)) {
  writeFileSync(join(folder, "bin", `${name}.cjs`), program.replaceAll("NAME", name).replace("FILE", file), {
    mode: 0o755,
  });
}
writeFileSync(
  join(folder, "package.json"),
  `${JSON.stringify(
    {
      name: "orch",
      version,
      description,
      type: "module",
      engines,
      bin: Object.fromEntries(Object.keys(bin).map((name) => [name, `bin/${name}.cjs`])),
      files: ["bin", "lib"],
      dependencies: Object.fromEntries(
        nativePackages.map((name) => [name, read("node_modules", name, "package.json").version]),
      ),
    },
    undefined,
    2,
  )}\n`,
);
cpSync(join(here, "README.md"), join(folder, "README.md"));
run("npm", ["pack", "--silent", `--pack-destination=${output}`], folder);
console.log(join(output, `orch-${version}.tgz`));
