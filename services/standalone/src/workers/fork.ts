import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import { isReport, type Order, type Report } from "./messages.js";

/** A worker process as its pool sees it. */
export interface Child {
  readonly pid: number | undefined;
  /** Lost where it has ended. */
  send(order: Order): void;
  /** Ends it at once. */
  kill(): void;
}

export interface ChildListener {
  take(report: Report): void;
  /** Called once, last: `SIGKILL`, `code 1`, or why it could not be started. */
  ended(how: string): void;
}

/** Starts a worker. */
export type Fork = (listener: ChildListener) => Child;

/**
 * Workers of node:cluster: they listen on one port, and end by themselves when this process does. Connections are dealt
 * out in turn; the kernel, with its own choice, would pile these long-lived ones up on the process that wakes first.
 */
export function clusterFork(): Fork {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  // Structured clones: JSON has no NaN for a metric, and no map for a flag.
  const exec = fileURLToPath(new URL("./main.js", import.meta.url));
  cluster.setupPrimary({ exec, args: [], serialization: "advanced" });
  return (listener) => {
    const worker = cluster.fork();
    let over = false;
    const ended = (how: string): void => {
      if (over) return;
      over = true;
      listener.ended(how);
    };
    worker.on("message", (message: unknown) => {
      if (!over && isReport(message)) listener.take(message);
    });
    worker.once("exit", (code: number | null, signal: string | null) => ended(signal ?? `code ${code}`));
    worker.on("error", (error) => {
      if (worker.process.pid === undefined) ended(error.message);
    });
    return {
      pid: worker.process.pid,
      send(order) {
        if (worker.isConnected()) worker.send(order, () => {});
      },
      kill: () => void worker.process.kill("SIGKILL"),
    };
  };
}
