import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { type Exit, execute } from "./clients/program.js";
import { until } from "./harness/until.js";

const pack = fileURLToPath(new URL("../../deploy/package/pack.mjs", import.meta.url));
const unreachable = /E(?:NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT)|EAI_AGAIN|network|ENOENT.*npm|40[34]|50[234]/;

let folder: string;
let tarball: string;
/** Why it could not be installed here. */
let missing: string | undefined;

/** A registry that does not answer is asked again, long before the command's time is over. */
const npmFlags = ["--prefer-offline", "--no-audit", "--no-fund", "--fetch-timeout=20000", "--fetch-retries=5"];
const npm = (...args: readonly string[]): Promise<Exit> =>
  execute(["npm", ...args, ...npmFlags], { cwd: folder, timeoutMs: 240_000 });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-package-"));
  const packed = await execute([process.execPath, pack, `--output=${join(folder, "packed")}`]);
  assert.equal(packed.code, 0, packed.errors);
  tarball = packed.output.trim().split("\n").at(-1) ?? "";
  const installed = await npm("install", "--global", `--prefix=${join(folder, "prefix")}`, tarball);
  if (installed.code === 0) return;
  missing = `SKIPPED: npm cannot install what it needs: ${installed.errors}`;
  if (!unreachable.test(installed.errors)) throw new Error(installed.errors);
});
after(() => rm(folder, { recursive: true, force: true }));

const installed = (name: string): string => join(folder, "prefix", "bin", name);

test("the package holds its programs and their data alone, and needs nothing but machine code besides", async () => {
  const { output } = await execute(["tar", "-tzf", tarball]);
  const names = output.trim().split("\n");
  for (const name of [
    "package.json",
    "README.md",
    "bin/orch.cjs",
    "bin/orch-envtest.cjs",
    "bin/kubectl-orch.cjs",
    "lib/main.js",
  ])
    assert.ok(names.includes(`package/${name}`), name);
  const foreign = names.filter((name) => !/^package\/(?:package\.json|README\.md|bin\/|lib\/)/.test(name));
  assert.deepEqual(foreign, []);
  const text = await readFile(join(folder, "packed", "orch", "package.json"), "utf8");
  const manifest: { readonly dependencies: object } = JSON.parse(text);
  assert.deepEqual(Object.keys(manifest.dependencies), ["lmdb"]);
});

test("installed elsewhere, orch serve answers a client", async (t) => {
  if (missing !== undefined) return t.skip(missing);
  const data = join(folder, "data");
  const child = spawn(
    installed("orch"),
    ["serve", `--data-dir=${data}`, "--secure-port=0", "--api-dialect=kubernetes"],
    {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  t.after(() => child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
  await until("it is ready", () => {
    assert.equal(child.exitCode, null, said);
    return /ready at/.test(said) || undefined;
  });
  const config = new KubeConfig();
  config.loadFromFile(join(data, "admin.orchconfig"));
  const core = config.makeApiClient(CoreV1Api);
  const body = { metadata: { name: "from-a-package" }, data: { k: "v" } };
  await core.createNamespacedConfigMap({ namespace: "default", body });
  const read = await core.readNamespacedConfigMap({ namespace: "default", name: "from-a-package" });
  assert.deepEqual(read.data, { k: "v" });
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null], said);
});

test("installed elsewhere, orch-envtest makes a folder whose programs start it", async (t) => {
  if (missing !== undefined) return t.skip(missing);
  const bin = join(folder, "assets");
  const made = await execute([installed("orch-envtest"), "path", `--bin-dir=${bin}`]);
  assert.deepEqual([made.code, made.output], [0, `${bin}\n`], made.errors);
  assert.ok((await readdir(bin)).includes("kube-apiserver"));
  const version = await execute([join(bin, "kube-apiserver"), "--version"]);
  assert.match(version.output, /^orch-envtest v1\.32\./, version.errors);
});

test("npx starts it from the file", async (t) => {
  if (missing !== undefined) return t.skip(missing);
  const { code, output, errors } = await execute(
    ["npx", "--yes", "--prefer-offline", `--package=${tarball}`, "orch", "version"],
    { cwd: folder },
  );
  if (code !== 0 && unreachable.test(errors)) return t.skip(`SKIPPED: ${errors}`);
  assert.equal(code, 0, errors);
  assert.match(output, /^v1\.32\./m);
});

test("a Node that is too old is told so in one line", async () => {
  const program = join(folder, "packed", "orch", "bin", "orch.cjs");
  for (const [version, isOld] of [
    ["18.20.1", true],
    ["20.18.3", true],
    ["20.19.0", false],
  ] as const) {
    const old = `Object.defineProperty(process.versions, "node", { value: "${version}" }); process.argv.splice(1, 1, "orch", "version"); require(${JSON.stringify(program)})`;
    const { code, errors } = await execute([process.execPath, "-e", old, "-"]);
    if (isOld)
      assert.deepEqual(
        [code, /^orch: needs Node 20\.19 or newer, and this is v\d.*\n$/.test(errors)],
        [1, true],
        errors,
      );
    else assert.doesNotMatch(errors, /needs Node/);
  }
});
