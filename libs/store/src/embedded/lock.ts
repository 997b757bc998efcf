import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "@orch/status/read-json.js";

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

/**
 * Field 22 of /proc/pid/stat; the process name (field 2) may hold spaces, so count from its closing bracket. Undefined of a
 * process that has ended and of which its parent has not taken note (states Z and X): it has nothing open any more.
 */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
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

/** As the lock is written: `4711:1234567:7f0c…`. Older versions left a file with JSON in it. */
function parse(text: string): Holder | undefined {
  const [pid = "", started, boot] = text.split(":");
  const id = Number(pid);
  if (!Number.isSafeInteger(id) || id <= 0 || started === undefined || boot === undefined) return undefined;
  return { pid: id, started, boot };
}

function read(file: string): Holder | undefined {
  try {
    return parse(readlinkSync(file));
  } catch {
    return readOld(file);
  }
}

function readOld(file: string): Holder | undefined {
  try {
    const value: unknown = readJson(readFileSync(file, "utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, started, boot } = value as Partial<Record<keyof Holder, unknown>>;
    if (typeof pid !== "number" || typeof started !== "string" || typeof boot !== "string") return undefined;
    return { pid, started, boot };
  } catch {
    return undefined;
  }
}

function tryLink(target: string, file: string): boolean {
  try {
    symlinkSync(target, file);
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
 *
 * The lock is a symbolic link that leads nowhere and tells its holder: made in one step, so that nobody ever sees it
 * without its content, and in the directory alone, so that a full medium can still be started on.
 */
export function takeLock(directory: string): () => void {
  const file = join(directory, "lock");
  const self = `${process.pid}:${startTime(process.pid) ?? ""}:${bootId()}`;
  for (;;) {
    if (tryLink(self, file)) return () => rmSync(file, { force: true });
    const holder = read(file);
    if (holder !== undefined && isAlive(holder)) throw new StoreLockedError(directory, holder.pid);
    discardStale(directory, file);
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
  if (moved !== undefined && isAlive(moved)) tryLink(`${moved.pid}:${moved.started}:${moved.boot}`, file);
  rmSync(aside, { force: true });
}
