import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { startFailure } from "./shutdown.js";

// Real processes: signals and exit codes are the subject.
function run(
  script: string,
  { delay = 0, before = "", more = "" } = {},
): { child: ChildProcessWithoutNullStreams; ended: Promise<Ended> } {
  const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const source = `
    import { runProcess } from ${here("./shutdown.js")};
    import { createLog } from ${here("./log.js")};
    import { systemClock } from ${here("./clock.js")};
    const say = (text) => process.stdout.write(text + "\\n");
    ${before}
    const { log } = createLog({ level: "info", format: "json" });
    const service = {
      async start() { say("start"); this.hold = setInterval(() => {}, 1000); ${script} },
      async stop() { clearInterval(this.hold); say("stop"); },
    };
    await runProcess({ service, log, clock: systemClock, delay: ${delay}, shuttingDown: () => say("unready"),
      onFault: (origin) => say(origin), started: () => say("started"), ${more} });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source]);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  const ended = once(child, "close").then(([code]) => ({ code: Number(code), out: out.trim().split("\n"), err }));
  return { child, ended };
}

interface Ended {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: string;
}

async function said(child: ChildProcessWithoutNullStreams, word: string): Promise<void> {
  let text = "";
  for await (const [chunk] of eventsOf(child)) {
    text += String(chunk);
    if (text.split("\n").includes(word)) return;
  }
}

async function* eventsOf(child: ChildProcessWithoutNullStreams): AsyncGenerator<unknown[]> {
  for (;;) yield await once(child.stdout, "data");
}

test("a signal lowers readiness, stops the service and exits with 0", async () => {
  const { child, ended } = run("");
  await said(child, "started");
  child.kill("SIGTERM");
  const { code, out } = await ended;
  assert.deepEqual({ code, out }, { code: 0, out: ["start", "started", "unready", "stop"] });
});

test("a process that another one runs leaves signals to it and stops when told", async () => {
  const { child, ended } = run("process.stdin.once('data', () => order.abort());", {
    before: "const order = new AbortController();",
    more: "stopOn: order.signal",
  });
  await said(child, "started");
  child.kill("SIGINT");
  child.kill("SIGTERM");
  child.kill("SIGTERM");
  child.stdin.write("stop");
  const { code, out } = await ended;
  assert.deepEqual({ code, out }, { code: 0, out: ["start", "started", "unready", "stop"] });
});

test("a hangup ends what a terminal runs, and nothing else", async () => {
  const service = run("");
  await said(service.child, "started");
  service.child.kill("SIGHUP");
  await new Promise((resolve) => service.child.stderr.once("data", resolve));
  service.child.kill("SIGTERM");
  const { code, err } = await service.ended;
  assert.equal(code, 0);
  assert.match(err, /"msg":"hangup: /);

  const watched = run("", { more: "hasTerminal: true" });
  await said(watched.child, "started");
  watched.child.kill("SIGHUP");
  assert.equal((await watched.ended).code, 0);
});

test("a second signal exits at once", async () => {
  const { child, ended } = run("", { delay: 600_000 });
  await said(child, "started");
  child.kill("SIGINT");
  await said(child, "unready");
  child.kill("SIGINT");
  const { code, out } = await ended;
  assert.deepEqual({ code, out }, { code: 1, out: ["start", "started", "unready"] });
});

test("faults are logged with their stack and counted, and the process serves on", async () => {
  const { child, ended } = run(
    `setTimeout(() => { throw new Error("first") }, 1); setTimeout(() => { Promise.reject(new Error("second")) }, 5);`,
  );
  await said(child, "rejection");
  child.kill("SIGTERM");
  const { code, out, err } = await ended;
  assert.equal(code, 0);
  assert.ok(out.includes("exception"));
  assert.match(err, /Error: first\\n {4}at/);
  assert.match(err, /Error: second\\n {4}at/);
});

test("a flood of faults ends the process in order", async () => {
  const { code, out } = await run(`setInterval(() => { throw new Error("again") }, 0);`).ended;
  assert.equal(code, 1);
  assert.deepEqual(
    out.filter((line) => line !== "exception"),
    ["start", "started", "unready", "stop"],
  );
});

test("a start that fails is one line and exit code 1", async () => {
  const { code, err } = await run(`
    const { createServer } = await import("node:net");
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((r) => taken.once("listening", r));
    const { port } = taken.address();
    await new Promise((_, reject) => createServer().once("error", reject).listen(port, "127.0.0.1"));
  `).ended;
  assert.equal(code, 1);
  assert.match(err, /^could not start: address 127\.0\.0\.1:\d+ is already in use by another process\n$/);
});

test("other start failures keep their own words", () => {
  assert.equal(
    startFailure(new Error("the data is held by process 7")),
    "could not start: the data is held by process 7",
  );
  assert.equal(startFailure("x"), "could not start: x");
});
