import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { boundLog } from "./log-file.js";
import { pidFile } from "./runner-paths.js";
import { openSupervised, type Supervised } from "./testing/supervised.js";
import type { UnitStatus } from "./unit.js";

// Real processes: what a supervisor is for is what becomes of them.
describe("the supervisor", { skip: existsSync("/proc/self/stat") ? false : "needs /proc" }, () => {
  let machine: Supervised;
  beforeEach(() => {
    machine = openSupervised();
  });
  afterEach(() => machine.close());

  const sleeps = (name: string, seconds = "3600") => ({ name, command: ["sleep", seconds] });
  const runs = (status: UnitStatus | undefined): boolean => status?.state === "running";
  const pidOf = async (name: string): Promise<number> => (await machine.until(name, runs))?.pid ?? 0;

  test("runs each manifest with its words, its environment and its folder, and keeps what it writes", async () => {
    machine.manifest({
      name: "a",
      command: ["sh", "-c", 'echo "$0 $GREETING $(pwd) $SECRET-" "$@"; echo bad >&2; exec sleep 3600', "a b"],
      container: { args: ["$x", "é"], env: [{ name: "GREETING", value: "hello  there" }], workingDir: "/" },
    });
    process.env["SECRET"] = "of whoever starts it";
    await machine.runner.begin();
    delete process.env["SECRET"];
    await machine.until("a", runs);
    await machine.until("a", () => existsSync(join(machine.paths.logs, "a.log")) && machine.log("a").includes("bad"));
    assert.equal(machine.log("a"), "a b hello  there / - $x é\nbad\n");
    assert.equal(Number(readFileSync(pidFile(machine.paths), "utf8")) > 0, true);
  });

  test("a unit that is killed is back within five seconds, the others stay", async () => {
    machine.manifest(sleeps("a"));
    machine.manifest(sleeps("b"));
    await machine.runner.begin();
    const [a, b] = [await pidOf("a"), await pidOf("b")];
    const killed = performance.now();
    process.kill(a, "SIGKILL");
    const back = await machine.until("a", (status) => runs(status) && status?.pid !== a);
    assert.ok(performance.now() - killed < 5000);
    assert.deepEqual([back?.restarts, back?.problem], [1, "SIGKILL"]);
    assert.equal(await pidOf("b"), b);
  });

  test("one that ends again and again waits longer each time", async () => {
    machine.manifest({ name: "a", command: ["sh", "-c", "date +%s%N; exit 3"] });
    await machine.runner.begin();
    const status = await machine.until("a", (now) => now?.state === "waiting" && now.restarts === 2);
    assert.equal(status?.problem, "exit code 3");
    const [first = 0, second = 0, third = 0] = machine.log("a").trim().split("\n").map(Number);
    const [before, after] = [(second - first) / 1e6, (third - second) / 1e6];
    assert.ok(before >= 990 && after >= 1990, `${before} ms, ${after} ms`);
  });

  const isRoot = process.getuid?.() === 0;
  test("a unit runs as its user, and once where its policy says so", {
    skip: isRoot ? false : "needs root",
  }, async () => {
    machine.manifest({
      ...{ name: "a", command: ["sh", "-c", "id -u; id -g; exit 4"] },
      spec: { restartPolicy: "Never", securityContext: { runAsUser: 65_534, runAsGroup: 65_533 } },
    });
    await machine.runner.begin();
    const status = await machine.until("a", (now) => now?.state === "stopped");
    assert.deepEqual([status?.problem, status?.restarts], ["exit code 4", 0]);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.equal(machine.log("a"), "65534\n65533\n");
    // Another manifest is another unit.
    machine.manifest({ name: "a", command: ["sleep", "3600"] });
    await machine.until("a", runs);
  });

  test("one that cannot be run says why", async () => {
    machine.manifest({ name: "a", command: ["/nowhere/program"] });
    await machine.runner.begin();
    const status = await machine.until("a", (now) => now?.state === "waiting");
    assert.equal(status?.problem, "can not be run: spawn /nowhere/program ENOENT");
  });

  test("a manifest that changes has its unit alone started anew; one that goes ends its own", async () => {
    machine.manifest(sleeps("a"));
    machine.manifest(sleeps("b"));
    await machine.runner.begin();
    const [a, b] = [await pidOf("a"), await pidOf("b")];
    const { hash } = machine.manifest(sleeps("a", "3601"));
    const anew = await machine.until("a", (status) => runs(status) && status?.hash === hash);
    assert.notEqual(anew?.pid, a);
    assert.equal(await pidOf("b"), b);
    machine.remove("b");
    await machine.until("b", (status) => status === undefined);
    assert.deepEqual(machine.pids(), [anew?.pid]);
  });

  test("a manifest that makes no sense is told of, and what ran by it runs on", async () => {
    machine.manifest(sleeps("a"));
    await machine.runner.begin();
    const a = await pidOf("a");
    machine.text("a", "kind: [");
    machine.manifest({ ...sleeps("b") });
    await machine.until("b", runs);
    const [[path = "", problem = ""] = []] = Object.entries(machine.problems());
    assert.equal(path, join(machine.paths.manifests, "a.yaml"));
    assert.match(problem, /^yaml: /);
    assert.equal(await pidOf("a"), a);
  });

  test("of two supervisors of a root the second gives up", async () => {
    machine.manifest(sleeps("a"));
    await machine.runner.begin();
    await machine.until("a", runs);
    const second = machine.supervisor();
    let said = "";
    second.stdout?.on("data", (part: Buffer) => {
      said += part.toString();
    });
    const [code] = await once(second, "close");
    assert.equal(code, 1);
    assert.match(said, /process \d+ runs the units of .* already/);
    assert.equal(machine.pids().length, 1);
  });

  test("SIGTERM ends every unit in order, and the supervisor", async () => {
    for (const name of ["etcd", "orch-apiserver", "orch-scheduler"]) {
      machine.manifest({ name, command: ["sh", "-c", `trap 'date +%s%N; exit' TERM; while :; do sleep 0.05; done`] });
    }
    const supervisor = machine.supervisor();
    for (const name of ["etcd", "orch-apiserver", "orch-scheduler"]) await machine.until(name, runs);
    await new Promise((resolve) => setTimeout(resolve, 200));
    supervisor.kill("SIGTERM");
    const [code] = await once(supervisor, "exit");
    assert.equal(code, 0);
    assert.deepEqual(machine.pids(), []);
    const [etcd = 0, apiserver = 0, scheduler = 0] = ["etcd", "orch-apiserver", "orch-scheduler"].map((name) =>
      Number(machine.log(name)),
    );
    assert.ok(scheduler > 0 && scheduler < apiserver && apiserver < etcd, `${scheduler} ${apiserver} ${etcd}`);
    assert.equal(existsSync(pidFile(machine.paths)), false);
  });

  test("after a kill -9 of the supervisor units run on, and the next one takes them over", async () => {
    machine.manifest(sleeps("same"));
    machine.manifest(sleeps("changed"));
    machine.manifest(sleeps("gone"));
    const first = machine.supervisor();
    const [same, changed] = [await pidOf("same"), await pidOf("changed"), await pidOf("gone")];
    first.kill("SIGKILL");
    await once(first, "exit");
    assert.equal(machine.pids().length, 3);
    assert.deepEqual(
      (await machine.runner.list()).map(({ name, state }) => [name, state]),
      [
        ["changed", "running"],
        ["gone", "running"],
        ["same", "running"],
      ],
    );
    const { hash } = machine.manifest(sleeps("changed", "3601"));
    machine.remove("gone");
    await machine.runner.begin();
    const anew = await machine.until("changed", (status) => runs(status) && status?.hash === hash);
    assert.notEqual(anew?.pid, changed);
    assert.equal((await machine.until("same", runs))?.pid, same);
    assert.equal(machine.pids().length, 2);

    // One that was taken over is looked after like the others.
    process.kill(same, "SIGKILL");
    const back = await machine.until("same", (status) => runs(status) && status?.pid !== same);
    assert.deepEqual([back?.restarts, back?.problem], [1, "ended"]);
  });

  test("what a unit has started goes with it", async () => {
    machine.manifest({ name: "a", command: ["sh", "-c", "sleep 3600 & sleep 3601"] });
    await machine.runner.begin();
    const a = await pidOf("a");
    const deadline = Date.now() + 10_000;
    while (machine.pids().length < 3 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    const before = machine.pids();
    assert.equal(before.length, 3);
    process.kill(a, "SIGKILL");
    await machine.until("a", (status) => runs(status) && status?.pid !== a);
    const left = machine.pids();
    assert.deepEqual(
      before.filter((pid) => left.includes(pid)),
      [],
    );
  });

  test("a unit that is stopped stays so until it is started, whatever its manifest says", async () => {
    const unit = machine.manifest(sleeps("a"));
    await machine.runner.start(unit);
    assert.equal((await machine.runner.status("a"))?.state, "running");
    await machine.runner.stop("a");
    assert.deepEqual(machine.pids(), []);
    const changed = machine.manifest(sleeps("a", "3601"));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.deepEqual(machine.pids(), []);
    await assert.rejects(machine.runner.start(unit), /no manifest in .* is that of a which is to be started/);
    await machine.runner.start(changed);
    assert.equal((await machine.runner.status("a"))?.hash, changed.hash);
  });

  test("a probe says whether a unit is ready", async () => {
    let code = 500;
    const server = createServer((_, answer) => answer.writeHead(code).end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const livenessProbe = { httpGet: { host: "127.0.0.1", port, path: "/livez" } };
    machine.manifest({ ...sleeps("a"), container: { livenessProbe } });
    await machine.runner.begin();
    await machine.until("a", (status) => status?.ready === false);
    code = 204;
    await machine.until("a", (status) => status?.ready === true);
    server.close();
  });

  test("the end leaves no process and no file", async () => {
    machine.manifest(sleeps("a"));
    await machine.runner.begin();
    await machine.until("a", runs);
    await machine.runner.end();
    assert.deepEqual(machine.pids(), []);
    assert.equal(existsSync(machine.paths.state), false);
    assert.deepEqual(await machine.runner.list(), [{ name: "a", state: "stopped", hash: "", restarts: 0 }]);
  });

  test("a log that has grown begins anew and keeps what was before, whoever writes into it", async () => {
    machine.manifest({ name: "a", command: ["sh", "-c", "while :; do echo 0123456789; sleep 0.01; done"] });
    await machine.runner.begin();
    const path = join(machine.paths.logs, "a.log");
    await machine.until("a", () => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 100);
    boundLog(path, 100);
    assert.ok(statSync(`${path}.1`).size > 100);
    await machine.until("a", () => statSync(path).size > 20);
    assert.match(machine.log("a"), /^(0123456789\n)+$/);
  });
});
