import { readdirSync, readFileSync } from "node:fs";

/** CPU time and memory of processes, as the kernel accounts them. */
const ticksPerSecond = 100;

/** Microseconds of CPU, user and system, of all its threads since it started. */
export function cpuMicroseconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond;
}

/** The same of the threads that still run, to less than a microsecond: for what takes less than some hundred of the kernel's ticks. */
export function preciseCpuMicroseconds(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).reduce((sum, thread) => sum + nanosecondsOf(`${folder}/${thread}/schedstat`), 0) / 1000;
}

function nanosecondsOf(schedstat: string): number {
  try {
    return Number(readFileSync(schedstat, "utf8").split(" ")[0]);
  } catch {
    // The thread ended meanwhile.
    return 0;
  }
}

/** Resident memory in bytes: its own, and what it has mapped of files, which the kernel may take back. */
export interface Resident {
  readonly anonymous: number;
  readonly file: number;
}

export function residentBytes(pid: number): Resident {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1024;
  return { anonymous: bytes("RssAnon"), file: bytes("RssFile") + bytes("RssShmem") };
}

/** Processes that a process has started and that still run. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

export interface CpuMeter {
  /** Microseconds since the start, by name. */
  read(): ReadonlyMap<string, number>;
}

export function startCpuMeter(pids: ReadonlyMap<string, number>): CpuMeter {
  const before = new Map([...pids].map(([name, pid]) => [name, cpuMicroseconds(pid)]));
  return {
    read: () => new Map([...pids].map(([name, pid]) => [name, cpuMicroseconds(pid) - (before.get(name) ?? 0)])),
  };
}
