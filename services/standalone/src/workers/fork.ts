import { fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { isReport, type Order, type Report } from "./messages.js";

/** A worker process as its pool sees it. */
export interface Child {
  readonly pid: number | undefined;
  /** Lost where it has ended. A socket goes with it, and stays open here too. */
  send(order: Order, socket?: Socket): void;
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

const script = fileURLToPath(new URL("./main.js", import.meta.url));

/**
 * A worker as a process, which ends by itself when this one does. Not of node:cluster: that closes the port with the
 * last worker, and forgets, open, the connection that is on its way to a worker that is killed.
 */
export const forkProcess: Fork = (listener) => {
  // Structured clones: JSON has no NaN for a metric, and no map for a flag.
  const child = fork(script, [], { serialization: "advanced" });
  let over = false;
  const ended = (how: string): void => {
    if (over) return;
    over = true;
    listener.ended(how);
  };
  child.on("message", (message: unknown) => {
    if (!over && isReport(message)) listener.take(message);
  });
  child.once("exit", (code, signal) => ended(signal ?? `code ${code}`));
  child.on("error", (error) => {
    if (child.pid === undefined) ended(error.message);
  });
  return {
    pid: child.pid,
    send(order, socket) {
      if (child.connected) child.send(order, socket, { keepOpen: true }, () => {});
    },
    kill: () => void child.kill("SIGKILL"),
  };
};
