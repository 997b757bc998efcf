import { spawn } from "node:child_process";
import type { Log } from "./log.js";

/** Whoever started the process and wants to be told how it is: systemd, where the unit is of type `notify`. */
export interface ServiceManager {
  /** It answers requests. */
  ready(): void;
  /** It is about to end. */
  stopping(): void;
}

const nobody: ServiceManager = { ready() {}, stopping() {} };

/**
 * Node has no datagrams of Unix sockets, by which a manager is told: systemd's own program sends them (the unit says
 * `NotifyAccess=all`). Without `NOTIFY_SOCKET` nobody is told anything.
 */
export function serviceManager(log: Pick<Log, "warn">): ServiceManager {
  if ((process.env["NOTIFY_SOCKET"] ?? "") === "") return nobody;
  const tell = (...args: readonly string[]): void => {
    const child = spawn("systemd-notify", [...args, `--pid=${process.pid}`], { stdio: "ignore" });
    child.once("error", (err) => log.warn({ err }, "systemd could not be told how the service is"));
    child.unref();
  };
  return { ready: () => tell("--ready", "--status=serving"), stopping: () => tell("STOPPING=1", "--status=stopping") };
}
