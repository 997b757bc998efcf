import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

// Loaded before a server's own code (`node --import`): how long turns of its event loop last, independent of what the
// server says of itself. GET answers the figures since the last GET and begins anew.

const resolutionMs = 1;
const tickMs = 2;

/** Nanoseconds that the main thread was on a processor. */
function onProcessor(): number {
  return Number(readFileSync("/proc/self/schedstat", "latin1").split(" ")[0]);
}

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let longestCpu = 0;
  let longestGc = 0;
  let before = onProcessor();
  // Between two of these is a turn, and little else. Whoever shares the machine does not count.
  const ticks = setInterval(() => {
    const now = onProcessor();
    longestCpu = Math.max(longestCpu, now - before);
    before = now;
  }, tickMs);
  ticks.unref();
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longestGc = Math.max(longestGc, entry.duration);
  });
  collections.observe({ entryTypes: ["gc"] });
  const server = createServer((_request, response) => {
    // The timer that measures is late by its own period where nothing else runs.
    const clockMs = Math.max(0, delay.max / 1e6 - resolutionMs);
    const rssMb = process.memoryUsage.rss() / 2 ** 20;
    response.end(JSON.stringify({ longestMs: longestCpu / 1e6, clockMs, gcMs: longestGc, rssMb }));
    delay.reset();
    longestCpu = 0;
    longestGc = 0;
  });
  server.listen(process.env["BENCH_METER"]);
  server.unref();
}
