import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The data directory belongs to another process that is alive. */
export class StoreLockedError extends Error {
  readonly pid: number;

  constructor(path: string, pid: number) {
    super(`the data in ${path} is held by process ${pid}; only one process may use it at a time`);
    this.name = "StoreLockedError";
    this.pid = pid;
  }
}

interface Holder {
  readonly pid: number;
  /** When the process started, in clock ticks since `boot`; tells a reused process id. Empty where unknown. */
  readonly started: string;
  readonly boot: string;
}

/** Field 22 of /proc/pid/stat; the process name (field 2) may hold spaces, so count from its closing bracket. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isAlive(holder: Holder): boolean {
  if (holder.boot !== bootId() || !exists(holder.pid)) return false;
  return holder.started === "" || startTime(holder.pid) === holder.started;
}

function read(file: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, started, boot } = value as Partial<Record<keyof Holder, unknown>>;
    if (typeof pid !== "number" || typeof started !== "string" || typeof boot !== "string") return undefined;
    return { pid, started, boot };
  } catch {
    return undefined;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Takes the data directory for this process, or throws {@link StoreLockedError}. A lock whose holder
 * was killed is taken over: its process id is gone, or belongs to a process that started at another time.
 * Returns the release.
 */
export function takeLock(directory: string): () => void {
  const file = join(directory, "lock");
  const mine = join(directory, `lock.${randomUUID()}`);
  const self: Holder = { pid: process.pid, started: startTime(process.pid) ?? "", boot: bootId() };
  // Written aside and linked: nobody ever sees a lock without its content.
  writeFileSync(mine, JSON.stringify(self), { flag: "wx", mode: 0o600 });
  try {
    for (;;) {
      if (tryLink(mine, file)) return () => rmSync(file, { force: true });
      const holder = read(file);
      if (holder !== undefined && isAlive(holder)) throw new StoreLockedError(directory, holder.pid);
      discardStale(directory, file);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Moves a dead holder's lock aside; of two that do so at once, one may catch the other's new lock and puts it back. */
function discardStale(directory: string, file: string): void {
  const aside = join(directory, `lock.${randomUUID()}`);
  try {
    renameSync(file, aside);
  } catch {
    return; // gone already: somebody else moved it
  }
  const moved = read(aside);
  if (moved !== undefined && isAlive(moved)) tryLink(aside, file);
  rmSync(aside, { force: true });
}
