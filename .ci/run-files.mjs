// Runs test files, each in a process of its own: a dot for each test that passed, a full account of each that failed or was
// skipped. Node's own runner waits without end for a process that does not end; here it is killed, and told.
import { spawn } from "node:child_process";

/** Begins a line that is the reporter's and not a test's own. */
export const mark = "\x1e";
/** What one file may take: the longest take some three minutes. */
const fileLimitMs = 15 * 60_000;
/** From the end of JavaScript to that of the process. */
const exitLimitMs = 20_000;
/** Files that are told of because they take so long, and how many of them. */
const slowSeconds = 20;
const mostSlow = 25;

/** Processes that lead a group. */
const groups = new Set();

function killGroup(leader) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nobody is left in there.
  }
}

function killGroups() {
  for (const leader of groups) killGroup(leader);
  process.exit(1);
}

/**
 * @param {{ node: string, concurrency: number, timeoutMs: number }} options timeoutMs: what one test may take
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runFiles(files, options) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, killGroups);
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  let dots = 0;
  const show = {
    pass: () => {
      totals.passed += 1;
      dots += 1;
      process.stdout.write(dots % 100 === 0 ? ".\n" : ".");
    },
    skip: ({ name, why }) => {
      totals.skipped += 1;
      process.stdout.write(`\nskipped: ${name} (${why})\n`);
    },
    fail: (failure) => {
      totals.failed += 1;
      failures.push(failure);
      process.stdout.write("F");
    },
    note: ({ text }) => process.stdout.write(`\n${text}\n`),
  };
  const waiting = [...files];
  const took = [];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const began = Date.now();
      await runFile(file, options, show);
      took.push({ file, seconds: (Date.now() - began) / 1000 });
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  process.stdout.write("\n");
  const slowest = took.filter(({ seconds }) => seconds > slowSeconds).sort((a, b) => b.seconds - a.seconds);
  for (const { file, seconds } of slowest.slice(0, mostSlow)) {
    process.stdout.write(`${seconds.toFixed(0).padStart(4)} s ${file}\n`);
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, killGroups);
  for (const { name, at, error } of failures.filter(({ notRun }) => !notRun)) {
    process.stdout.write(`\nFAILED: ${name}\n  at ${at}\n${error.replace(/^/gm, "    ")}\n`);
  }
  const notRun = failures.filter((failure) => failure.notRun).map(({ name }) => name);
  if (notRun.length > 0) {
    process.stdout.write(`\nFAILED with their suites: ${notRun.length} tests, ${notRun.slice(0, 3).join("; ")}, …\n`);
  }
  return totals;
}

async function runFile(file, { node, timeoutMs }, show) {
  const args = [
    `--test-timeout=${timeoutMs}`,
    "--test-reporter=./.ci/reporter.mjs",
    "--test-reporter-destination=stdout",
  ];
  // A group of its own, so that servers which a test has started go with it when it is killed.
  const child = spawn(node, [...args, file], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  groups.add(child.pid);
  let failed = 0;
  let killed;
  let exitTimer;
  const fail = (error) => {
    failed += 1;
    show.fail({ name: file, at: file, error });
  };
  const kill = (why) => {
    killed = why;
    killGroup(child.pid);
  };
  const fileTimer = setTimeout(() => kill({ error: `it took more than ${fileLimitMs / 60_000} min` }), fileLimitMs);
  const take = (record) => {
    if (record.type === "idle") {
      kill({ error: `its tests are done and its process does not end for: ${record.resources.join(", ")}` });
    } else if (record.type === "exit") {
      exitTimer = setTimeout(() => kill({ isNodes: true }), exitLimitMs);
    } else {
      if (record.type === "fail") failed += 1;
      show[record.type](record);
    }
  };
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const at = line.lastIndexOf(mark);
      if (at >= 0) take(JSON.parse(line.slice(at + 1)));
    }
  });
  const [code, signal] = await new Promise((resolve) => {
    child.on("error", (error) => {
      fail(String(error));
      resolve([1, null]);
    });
    // Not "close": a server that a killed test has left behind holds the pipe.
    child.on("exit", (...how) => setImmediate(resolve, how));
  });
  killGroup(child.pid);
  groups.delete(child.pid);
  clearTimeout(fileTimer);
  clearTimeout(exitTimer);
  if (killed?.isNodes) {
    // A thread of V8 that compiles waits for a collection by the main thread, which waits for it: nodejs/node#54918.
    show.note({
      text: `${file}: Node did not end after its tests had, and was killed (a deadlock of Node at its exit)`,
    });
  } else if (killed !== undefined) fail(killed.error);
  else if (signal !== null) fail(`its process was ended by ${signal}`);
  else if (code !== 0 && failed === 0) fail(`its process ended with code ${code}`);
}
