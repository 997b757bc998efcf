import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { e2eFolder, execute } from "../clients/program.js";
import { preparePython } from "../clients/python-program.js";
import { buildSaying } from "../harness/foreign-program.js";
import { kubectlMissing } from "../harness/kubectl.js";
import { until } from "../harness/until.js";

const launcher = fileURLToPath(new URL("../../../services/cli/dist/envtest/main.js", import.meta.url));
const node = (...args: readonly string[]) => execute([process.execPath, launcher, ...args]);

let folder: string;
let assets: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-assets-"));
  const { code, output, errors } = await node("path", `--bin-dir=${join(folder, "bin")}`);
  assert.equal(code, 0, errors);
  assets = output.trim();
});
after(() => rm(folder, { recursive: true, force: true }));

describe("authors of operators test with orch-envtest", () => {
  test("in Go, with controller-runtime's envtest", async (t) => {
    const to = join(folder, "boats.test");
    const missing = await buildSaying("the envtest test", {
      ...{ module: "operators", package: "./envtest", to, tests: true },
    });
    if (missing !== undefined) return t.skip(`SKIPPED: ${missing}`);
    const kubectl = (await kubectlMissing()) === undefined ? { HAS_KUBECTL: "yes" } : {};
    await passes([to, "-test.v"], { CRDS: join(e2eFolder, "clients/operators/envtest/crds"), ...kubectl });
  });

  test("in Python, with its client", async (t) => {
    const prepared = await preparePython("envtest.py");
    if ("missing" in prepared) return t.skip(`SKIPPED: ${prepared.missing}`);
    await passes(prepared.command);
  });

  test("in JavaScript, with its client", () =>
    passes([process.execPath, "--test", join(e2eFolder, "clients/node/envtest.mjs")]));
});

test("the code that the document shows stands in the tests", async () => {
  const document = await readFile(join(e2eFolder, "../docs/operator-authors.md"), "utf8");
  for (const [language, file] of [
    ["go", "operators/envtest/boats_test.go"],
    ["python", "python/envtest.py"],
  ]) {
    const source = await readFile(join(e2eFolder, "clients", file ?? ""), "utf8");
    const [, block = ""] = document.split(`\`\`\`${language}\n`);
    const lines = block.split("\n```", 1)[0]?.split("\n") ?? [];
    assert.ok(lines.length > 3, language);
    for (const line of lines) assert.ok(source.includes(line.trim()), line);
  }
});

async function passes(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  // This process's runner tells a runner below it to speak its own language.
  const outer = { NODE_TEST_CONTEXT: "" };
  const { code, output, errors } = await execute(command, {
    env: { ...outer, ...env, KUBEBUILDER_ASSETS: assets, TMPDIR: await newFolder() },
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, `${output}\n${errors}`);
}

const newFolder = (): Promise<string> => mkdtemp(join(folder, "tmp-"));

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  /** Where it may leave something. */
  readonly temporary: string;
  readonly log: () => string;
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  listener.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** `command`: what starts the program with the flags that come after it. */
async function started(t: TestContext, command: readonly string[], args: readonly string[] = []): Promise<Running> {
  const temporary = await newFolder();
  const port = await freePort();
  const [file = "", ...before] = command;
  const child = spawn(file, [...before, `--secure-port=${port}`, ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => (log += bytes.toString()));
  t.after(() => child.kill("SIGKILL"));
  return { child, port, temporary, log: () => log };
}

/** True once it is, as a test environment asks; undefined before. */
function isHealthy(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    get({ host: "127.0.0.1", port, path: "/healthz", rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 || undefined);
    }).on("error", () => resolve(undefined));
  });
}

test("the server says nothing on standard output, stores nothing on disk and leaves nothing when it is told to stop", async (t) => {
  const { child, port, temporary, log } = await started(
    t,
    [join(assets, "kube-apiserver")],
    ["--contention-profiling=false"],
  );
  await until("it is healthy", () => isHealthy(port));
  const left = await readdir(temporary, { recursive: true });
  assert.ok(left.length > 0 && !left.some((name) => name.includes("data.mdb")), left.join());
  assert.match(log(), /^orch-envtest: passed over, for orch has nothing like it: --contention-profiling$/m);
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
  assert.deepEqual(await readdir(temporary), []);
});

test("a server that is told to stop while it starts leaves nothing", async (t) => {
  const { child, temporary } = await started(t, [process.execPath, launcher]);
  await until("it has a folder, or is told too early", async () => (await readdir(temporary)).length > 0 || undefined);
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  assert.deepEqual(await readdir(temporary), []);
});

test("the server and the stub of etcd end with the process that started them", async (t) => {
  const etcdPort = await freePort();
  const both = [
    `'${join(assets, "etcd")}' --unsafe-no-fsync --listen-client-urls=http://127.0.0.1:${etcdPort} & echo etcd=$!`,
    `'${join(assets, "kube-apiserver")}' "$@" & echo server=$!; wait`,
  ].join("\n");
  const { child, port, temporary, log } = await started(t, ["sh", "-c", both, "sh"]);
  await until("it is healthy", () => isHealthy(port));
  const health = await fetch(`http://127.0.0.1:${etcdPort}/health`);
  assert.deepEqual(await health.json(), { health: "true", reason: "" });
  const pids = ["etcd", "server"].map((name) => Number(new RegExp(`^${name}=(\\d+)$`, "m").exec(log())?.[1]));
  assert.ok(pids.every((pid) => isAlive(pid)));
  child.kill("SIGKILL");
  await until("both have ended", () => pids.every((pid) => !isAlive(pid)) || undefined);
  assert.deepEqual(await readdir(temporary), []);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
