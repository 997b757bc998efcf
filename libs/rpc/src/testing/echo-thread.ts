import { getPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { conflict } from "@orch/status/api-error.js";
import { serveJobs } from "../thread/serve-jobs.js";

/** What a job of the tests does. */
export type EchoJob =
  | { readonly do: "echo"; readonly text: string }
  | { readonly do: "ask"; readonly text: string }
  | { readonly do: "priority" }
  | { readonly do: "refuse" }
  | { readonly do: "fail" }
  | { readonly do: "hang" }
  | { readonly do: "exhaust" }
  | { readonly do: "end" };

// A thread for tests of threads.
if (parentPort !== null) {
  serveJobs<EchoJob, string, string, string>(parentPort, async (job, ask) => {
    switch (job.do) {
      case "echo":
        return job.text;
      case "ask":
        return `answered ${await ask(job.text)}`;
      case "priority":
        return String(getPriority(0));
      case "refuse":
        throw conflict({ group: "", resource: "things" }, "one", "it is taken");
      case "fail":
        throw new TypeError("a fault");
      case "hang":
        for (;;) if (process.pid === 0) return "";
      case "exhaust": {
        const kept: number[][] = [];
        for (;;) kept.push(new Array(10_000).fill(kept.length).map((n, i) => n + i / 2));
      }
      case "end":
        return process.exit(3);
    }
  });
}
