// Runs the checks and tests one after another and ends with the line `N passed, N failed`.
// node .ci/test.mjs [--only=verify|unit|e2e|fallback] [--files=substring]
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildHelm, compileGoPrograms } from "./go-programs.mjs";
import { runFiles } from "./run-files.mjs";

const option = (name) => process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3);
const only = option("only");
const wanted = option("files") ?? "";
const totals = { passed: 0, failed: 0, skipped: 0 };

const bin = (name) => join("node_modules", ".bin", name);

function findTests(roots) {
  const found = [];
  const walk = (folder) => {
    if (!existsSync(folder)) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.name.endsWith(".test.js") && path.includes(wanted)) found.push(path);
    }
  };
  for (const root of roots) walk(root);
  return found.sort();
}

const packages = (group) => readdirSync(group).map((name) => join(group, name, "dist"));

function heading(title) {
  process.stdout.write(`\n== ${title}\n`);
}

/** A check that is one command: passed or failed as a whole. */
function check(title, command, args) {
  heading(title);
  const began = Date.now();
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  totals[status === 0 ? "passed" : "failed"] += 1;
  process.stdout.write(`${status === 0 ? "ok" : "FAILED"} in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}

/** Test files, whose counts are added to ours. */
async function tests(title, files, { concurrency, timeoutMs, node = process.execPath }) {
  heading(`${title}: ${files.length} files`);
  if (files.length === 0) {
    if (wanted === "") {
      process.stdout.write("FAILED: no test files found\n");
      totals.failed += 1;
    }
    return;
  }
  const began = Date.now();
  const { passed, failed, skipped } = await runFiles(files, { concurrency, timeoutMs, node });
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s\n`);
}

/** Servers and the browser of others that tests start: from the machine or, on a Debian machine as root, from its packages. */
function ensureServers() {
  const servers = [
    { program: "etcd", package: "etcd-server" },
    { program: "redis-server", package: "redis-server" },
    { program: "chromium", package: "chromium" },
  ];
  const missing = () => servers.filter(({ program }) => spawnSync(program, ["--version"]).status !== 0);
  const wanted = missing();
  if (wanted.length === 0) return;
  if (installPackages(wanted.map((server) => server.package))) return;
  for (const { program } of missing()) {
    process.stdout.write(`\n!! ${program} is not on this machine and could not be installed: its tests are SKIPPED`);
    process.stdout.write(process.env.CI === "true" ? ", and fail because CI=true\n" : "\n");
  }
}

/** On a Debian machine as root; false where they could not be installed. */
function installPackages(packages) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || spawnSync("sh", ["-c", "command -v apt-get"], { stdio: "ignore" }).status !== 0) return false;
  heading(`installing ${packages.join(" and ")}, which tests need`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const apt = (args) => spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"], env }).status === 0;
  const install = ["install", "-y", "--no-install-recommends", ...packages];
  return apt(install) || (apt(["update"]) && apt(install));
}

/** Packages whose programs (of the same name where no other is named) are not on the machine. Where they cannot be had, tests say so. */
function ensurePrograms(programs) {
  const places = ["/usr/bin", "/usr/sbin", "/usr/lib/podman"];
  const isThere = ({ program }) => places.some((place) => existsSync(join(place, program)));
  const missing = programs.filter((one) => !isThere(one));
  if (missing.length > 0) installPackages(missing.map((one) => one.package));
}

/** What runs containers. */
const containers = ["podman", "runc", "netavark", "aardvark-dns", "mmdebstrap"].map((name) => ({
  program: name,
  package: name,
}));
/** What writes the rules of the proxy into network namespaces of its tests. */
const rules = [
  { program: "nft", package: "nftables" },
  { program: "iptables-restore", package: "iptables" },
  { program: "conntrack", package: "conntrack" },
];

/** The first `node` of the path that is not npm's package. */
function machineNode() {
  const folders = (process.env.PATH ?? "").split(":").filter((folder) => !folder.endsWith("node_modules/.bin"));
  return folders.map((folder) => join(folder, "node")).find((file) => existsSync(file)) ?? process.execPath;
}

if (only === undefined || only === "verify") {
  check("format and lint (biome)", bin("biome"), ["check", "--error-on-warnings", "."]);
  check("layers", process.execPath, [".ci/layers.mjs"]);
  check("house rules", process.execPath, [".ci/rules.mjs"]);
  check("types (tsc -b)", bin("tsc"), ["-b"]);
  check("flags in the documents", process.execPath, [".ci/flags-reference.mjs"]);
}
if (only === undefined || only === "unit" || only === "e2e") ensureServers();
if (only === undefined || only === "unit") {
  await tests(
    "unit and conformance",
    findTests([...packages("libs"), ...packages("services"), "deploy/dist", "bench/dist"]),
    {
      concurrency: 2,
      timeoutMs: 180_000,
    },
  );
}
if (only === undefined || only === "e2e") {
  if (wanted === "" || ["compose", "helm/kube-play"].some((file) => file.includes(wanted))) ensurePrograms(containers);
  if ("proxy-traffic".includes(wanted)) ensurePrograms(rules);
  const folder = mkdtempSync(join(tmpdir(), "orch-programs-"));
  if (wanted === "") {
    compileGoPrograms();
    const helm = process.env.ORCH_TEST_HELM3_PROGRAM ?? buildHelm(folder);
    if (helm !== undefined) process.env.ORCH_TEST_HELM3_PROGRAM = helm;
  }
  const files = findTests(["e2e/dist"]);
  const inBrowser = (file) => /\/console[^/]*\.test\.js$/.test(file);
  const options = { concurrency: 2, timeoutMs: 300_000 };
  // A browser breaks off what it loads when the machine's network changes, as it does beside tests that make networks of their own.
  const browsed = files.filter(inBrowser);
  if (browsed.length > 0) await tests("e2e in a browser", browsed, options);
  const others = files.filter((file) => !inBrowser(file));
  if (others.length > 0 || wanted === "") await tests("e2e", others, options);
  rmSync(folder, { recursive: true, force: true });
}
// Where npm has no Node for a platform the machine's own serves: what users see first must hold on it too.
const machine = machineNode();
if (only === "fallback" || only === undefined) {
  const own = spawnSync(machine, ["--version"], { encoding: "utf8" }).stdout.trim();
  if (own === process.version) heading(`the machine's Node is the repository's own (${own}): no second run`);
  else {
    const core = /^libs\/(status|codec|runtime)\/|^libs\/store\/dist\/embedded|^e2e\/dist\/standalone\.test/;
    const files = findTests([...packages("libs"), "e2e/dist"]).filter((file) => core.test(file));
    await tests(`on the machine's Node ${own}`, files, { concurrency: 2, timeoutMs: 300_000, node: machine });
  }
}

if (totals.skipped > 0) process.stdout.write(`\n${totals.skipped} skipped\n`);
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`);
process.exit(totals.failed === 0 ? 0 : 1);
