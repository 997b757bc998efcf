import { type Clock, sleep } from "./clock.js";
import type { Log } from "./log.js";
import type { Service } from "./service.js";

export interface ProcessParts {
  readonly service: Service;
  readonly log: Log;
  readonly clock: Clock;
  /** Called first: readiness falls. */
  readonly shuttingDown: () => void;
  /** Milliseconds between the fall of readiness and the stop (`--shutdown-delay-duration`). */
  readonly delay: number;
  /** Milliseconds that an orderly stop may take before the process exits all the same; 30 s where absent. */
  readonly stopWithin?: number;
  /** Counts faults by their origin: a metric. */
  readonly onFault?: (origin: "exception" | "rejection") => void;
  /** Called once, when the service has started. */
  readonly started?: () => void;
  /** Whether a person watches it: SIGHUP then says that the terminal has gone. */
  readonly hasTerminal?: boolean;
  /** Of a process that another one of ours runs: it stops when this aborts, and leaves signals to that one. */
  readonly stopOn?: AbortSignal;
}

/** Faults within {@link faultWindow} after which the process is taken to be beyond help. */
const maxFaults = 100;
const faultWindow = 60_000;

/**
 * Runs a service until SIGINT or SIGTERM (SIGHUP where it has a terminal), then stops it in order: readiness falls, the delay passes, the service
 * stops, the process exits with 0. A second signal exits at once with 1, as does a start that fails, in one line.
 * With `stopOn` signals do nothing: a terminal sends them to every process, each of which would stop at its own time.
 *
 * An uncaught exception or rejection is logged with its stack and counted, and the process serves on: what a
 * client sent must not kill it, requests share no half-written state, and what must not be lost is in the store's
 * transactions. It exits (orderly, with 1) only where more than {@link maxFaults} come in a minute.
 */
export async function runProcess(parts: ProcessParts): Promise<void> {
  const { service, log, clock } = parts;
  let stopping = false;
  const faults: number[] = [];
  const stop = async (exitCode: number, delay: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    parts.shuttingDown();
    await sleep(keepingAlive(clock), delay);
    const giveUp = clock.after(parts.stopWithin ?? 30_000, () => {
      log.error({}, "the stop took too long");
      process.exit(1);
    });
    try {
      await service.stop();
    } catch (err) {
      log.error({ err }, "the stop failed");
      exitCode = 1;
    }
    giveUp();
    process.exit(exitCode);
  };
  // A terminal that closes ends what runs in it; a service's files are looked at all the time, there is nothing to reread.
  const hungUp = (): void => {
    if (parts.hasTerminal === true) signalled("SIGHUP");
    else log.info({}, "hangup: changed files are in force within a second of their change, with or without it");
  };
  const signalled = (signal: NodeJS.Signals): void => {
    if (parts.stopOn !== undefined) return;
    if (stopping) {
      log.warn({ signal }, "second signal: exiting at once");
      process.exit(1);
    }
    log.info({ signal, delay: parts.delay }, "shutting down");
    void stop(0, parts.delay);
  };
  const fault = (origin: "exception" | "rejection", err: unknown): void => {
    log.error({ err, origin }, "unexpected fault; serving on");
    parts.onFault?.(origin);
    const now = clock.monotonic();
    faults.push(now);
    while ((faults[0] ?? now) < now - faultWindow) faults.shift();
    if (faults.length <= maxFaults) return;
    log.error({ faults: faults.length }, "too many faults in a minute: stopping");
    void stop(1, 0);
  };
  parts.stopOn?.addEventListener("abort", () => void stop(0, parts.delay));
  process.on("SIGINT", signalled);
  process.on("SIGTERM", signalled);
  process.on("SIGHUP", hungUp);
  process.on("uncaughtException", (err) => fault("exception", err));
  process.on("unhandledRejection", (err) => fault("rejection", err));
  try {
    await service.start();
  } catch (failure) {
    log.debug({ err: failure }, "the start failed");
    endStart(failure);
  }
  if (!stopping) parts.started?.();
}

/** The delay must keep the process alive even when nothing else does. */
function keepingAlive(clock: Clock): Clock {
  return {
    ...clock,
    after(ms, run) {
      const hold = setInterval(() => {}, 60_000);
      const cancel = clock.after(ms, run);
      return () => {
        clearInterval(hold);
        cancel();
      };
    },
  };
}

/** Ends a process that cannot start, before it has begun to run: one line, code 1. */
export function endStart(failure: unknown): never {
  process.stderr.write(`${startFailure(failure)}\n`);
  return process.exit(1);
}

/** One line for a person: why a process could not start. */
export function startFailure(failure: unknown): string {
  if (!(failure instanceof Error)) return `could not start: ${String(failure)}`;
  const { code, address, port } = { code: undefined, address: undefined, port: undefined, ...failure };
  const where = address === undefined ? "" : ` ${String(address)}${port === undefined ? "" : `:${String(port)}`}`;
  if (code === "EADDRINUSE") return `could not start: address${where} is already in use by another process`;
  if (code === "EADDRNOTAVAIL") return `could not start: address${where} is not one of this machine`;
  if (code === "EACCES" && address !== undefined) return `could not start: no permission to listen on${where}`;
  const { path } = { path: undefined, ...failure };
  if (code === "ENOSPC" || code === "EDQUOT")
    return `could not start: no space is left${path === undefined ? "" : ` for ${String(path)}`}; free some on its medium`;
  return `could not start: ${failure.message}`;
}
