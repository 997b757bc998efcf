// One folder for each image, of few files: the program and what it loads at its start as one bundle, what it loads when it
// is asked for beside it, packages with machine code as they are, the data of the catalog.
// node deploy/images/bundle.mjs [--output=dist/bundles] [PROGRAM …]
import { spawnSync } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { copyPackages } from "./packages.mjs";
import { nativePackages, programs } from "./programs.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What our code finds beside itself, and where it lies in a bundle: files are programs of threads and processes. */
const beside = new Map([
  ["libs/api/data", "data"],
  ["libs/api/docs", "docs"],
  ["node_modules/.cache/orch-compiled", "compiled"],
  ["services/console/dist/site", "console"],
  ["services/resource/dist/thread/main.js", "large-writes.js"],
  ["services/watch-cache/dist/thread/main.js", "large-answers.js"],
  ["services/standalone/dist/workers/main.js", "gateway-worker.js"],
  ["services/cli/dist/main.js", "main.js"],
]);

/** CommonJS inside a module of ours asks for node's own modules by these. */
const commonJs = [
  'import { createRequire as createRequireOfBundle } from "node:module";',
  "const require = createRequireOfBundle(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;",
].join("\n");

/** Follows `new URL("./x", import.meta.url)` to `beside`; `found` gets what has to go into the bundle. */
function besidePlugin(found) {
  const pattern = /new URL\("([^"]+)", import\.meta\.url\)/g;
  return {
    name: "beside",
    setup(hooks) {
      hooks.onLoad({ filter: /\/(libs|services)\/[^/]+\/dist\/.*\.js$/ }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        const contents = source.replace(pattern, (_, place) => {
          const target = relative(root, resolve(dirname(path), place));
          const name = beside.get(target);
          if (name === undefined)
            throw new Error(`${relative(root, path)} loads ${target}: not in the table of bundle.mjs`);
          found.set(target, name);
          return `new URL("./${name}${place.endsWith("/") ? "/" : ""}", import.meta.url)`;
        });
        return { contents, loader: "js" };
      });
    },
  };
}

/** What a container engine runs to learn whether the program serves: it reads the program's own flags. */
function healthCheckPlugin(commandLine) {
  const contents = `
    import { commandLine } from ${JSON.stringify(join(root, commandLine))};
    import { runHealthCheck } from "@orch/runtime/health-check.js";
    await runHealthCheck(typeof commandLine === "function" ? commandLine("") : commandLine, process.argv.slice(2));`;
  return {
    name: "health-check",
    setup(hooks) {
      hooks.onResolve({ filter: /^health-check$/ }, () => ({ path: "health-check", namespace: "made" }));
      hooks.onLoad({ filter: /./, namespace: "made" }, () => ({ contents, loader: "js", resolveDir: root }));
    },
  };
}

/** Bundles a program into `folder`; gives the places outside of it that were found. */
async function bundle({ main, also = {}, commandLine }, folder) {
  const found = new Map();
  const entries = new Map([["main", main], ...Object.entries(also), ["healthcheck", "health-check"]]);
  // What a first look finds of threads and processes is built with the rest, so that they share its files.
  for (;;) {
    const before = entries.size;
    const result = await build({
      absWorkingDir: root,
      entryPoints: [...entries].map(([out, path]) => ({ in: path, out })),
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node26",
      outdir: folder,
      // All in one folder, whose other files they name from where they are.
      chunkNames: "part-[name]-[hash]",
      external: nativePackages,
      banner: { js: commonJs },
      legalComments: "eof",
      logLevel: "warning",
      metafile: true,
      write: false,
      plugins: [besidePlugin(found), healthCheckPlugin(commandLine)],
    });
    for (const [target, name] of found) if (name.endsWith(".js")) entries.set(name.slice(0, -3), target);
    if (entries.size > before) continue;
    for (const { path, contents } of result.outputFiles) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, contents);
    }
    return { found, usesNative: usesNative(result.metafile) };
  }
}

const usesNative = ({ outputs }) =>
  Object.values(outputs).some(({ imports }) =>
    imports.some(({ path, external }) => external && nativePackages.includes(path)),
  );

/** What npm knows of the packages that the program is made of. */
function billOfMaterials(workspace) {
  const args = ["sbom", "--package-lock-only", "--omit=dev", "--sbom-format=spdx", `--workspace=${workspace}`];
  // npm runs on the machine's node.
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`);
  return stdout;
}

async function make(program, output) {
  const folder = join(output, program.name);
  await rm(folder, { recursive: true, force: true });
  const { found, usesNative } = await bundle(program, folder);
  for (const [place, name] of found) {
    if (/^(libs|services\/console)\//.test(place)) await cp(join(root, place), join(folder, name), { recursive: true });
  }
  if (usesNative)
    await copyPackages(nativePackages, { from: join(root, "node_modules"), to: join(folder, "node_modules") });
  await writeFile(join(folder, "package.json"), `{ "type": "module" }\n`);
  await writeFile(join(folder, "sbom.spdx.json"), billOfMaterials(program.workspace));
}

const { values, positionals } = parseArgs({
  options: { output: { type: "string", default: join(root, "dist", "bundles") } },
  allowPositionals: true,
});
const wanted = programs.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
for (const program of wanted) {
  await make(program, resolve(values.output));
  console.log(`bundled ${program.name}`);
}
