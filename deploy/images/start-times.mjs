// What a start costs: of the built tree, of its bundle, and of the bundle without code that the engine kept compiled, in turns, beside a
// bare node. From the start of the process to its line of addresses: wall clock, CPU time of all threads, resident memory.
// node deploy/images/start-times.mjs [ROUNDS]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 9);
const root = fileURLToPath(new URL("../../", import.meta.url));
const ticksPerSecond = 100;
const kept = mkdtempSync(join(tmpdir(), "orch-start-times-"));

const says = /ready at|^https=|^rpc=/m;

/** Starts a program, waits for what it says, ends it in order. */
async function start(args, environment = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let errors = "";
  child.stderr.on("data", (bytes) => {
    errors = (errors + bytes).slice(-2000);
  });
  const figures = await new Promise((resolve, reject) => {
    let said = "";
    child.once("exit", () => reject(new Error(`${args.join(" ")}: ended\n${errors}`)));
    child.stdout.on("data", (bytes) => {
      said += bytes;
      if (!says.test(said)) return;
      const wall = performance.now() - began;
      const times = readFileSync(`/proc/${child.pid}/stat`, "latin1").split(") ")[1].split(" ");
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "latin1"));
      resolve({ wall, cpu: ((Number(times[11]) + Number(times[12])) * 1000) / ticksPerSecond, rss: kilobytes / 1024 });
    });
  });
  child.kill("SIGTERM");
  await ended;
  return figures;
}

const inFolder = async (use) => {
  const folder = mkdtempSync(join(tmpdir(), "orch-start-times-"));
  const result = await use(folder);
  rmSync(folder, { recursive: true, force: true });
  return result;
};

const pki = join(kept, "pki");
const gatewayFlags = [
  ...["--secure-port=0", "--watch-cache-servers=127.0.0.1:1", "--resource-servers=127.0.0.1:1"],
  ...[`--tls-cert-file=${pki}/serving.crt`, `--tls-private-key-file=${pki}/serving.key`],
  ...[`--client-ca-file=${pki}/ca.crt`, `--token-auth-file=${pki}/tokens.csv`],
];
const anew = { NODE_DISABLE_COMPILE_CACHE: "1" };
const standalone = (script, environment) => () =>
  inFolder((folder) => start([...script, "--secure-port=0", `--data-dir=${folder}`], environment));
const tree = (service) => join(root, "services", service, "dist", "main.js");
const bundle = (program) => join(root, "dist", "bundles", program, "main.js");

const subjects = [
  ["a bare node", () => start(["-e", "console.log('ready at');setInterval(()=>{},1e4)"])],
  ["standalone, tree", standalone([tree("standalone")])],
  ["standalone, bundle", standalone([bundle("cli"), "serve"])],
  ["standalone, bundle, compiled anew", standalone([bundle("cli"), "serve"], anew)],
  ["gateway, tree", () => start([tree("gateway"), ...gatewayFlags])],
  ["gateway, bundle", () => start([bundle("gateway"), ...gatewayFlags])],
  ["gateway, bundle, compiled anew", () => start([bundle("gateway"), ...gatewayFlags], anew)],
];

await start([tree("standalone"), "--secure-port=0", `--data-dir=${kept}`]);
const seen = new Map(subjects.map(([name]) => [name, []]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, run] of subjects) {
    const figures = await run();
    // The first one fills caches.
    if (round > 0) seen.get(name).push(figures);
  }
}
rmSync(kept, { recursive: true, force: true });

const ordered = (figures, key) => figures.map((each) => each[key]).sort((a, b) => a - b);
console.log("| start | wall ms, least | median | CPU ms, least | median | resident MiB |\n|---|---|---|---|---|---|");
for (const [name, figures] of seen) {
  const cells = ["wall", "cpu"].flatMap((key) => {
    const all = ordered(figures, key);
    return [all[0], all[all.length >> 1]];
  });
  const rss = ordered(figures, "rss");
  console.log(`| ${name} | ${[...cells, rss[rss.length >> 1]].map((figure) => figure.toFixed(0)).join(" | ")} |`);
}
