import { readdirSync, readFileSync } from "node:fs";

/** A process of this machine, told from later ones of the same id by the time of its start. */
export interface Process {
  readonly pid: number;
  /** Clock ticks since the machine's start. */
  readonly started: string;
}

interface Stat extends Process {
  readonly isDead: boolean;
  /** Id of the process that leads its group. */
  readonly group: number;
}

/** A process whose environment says which unit of which root it was started for. */
export interface MarkedProcess extends Process {
  readonly group: number;
  readonly mark: Mark;
}

/** Stands in the environment of every process of a unit, those included that it starts itself. */
export interface Mark {
  readonly name: string;
  /** Of the unit's manifest. */
  readonly hash: string;
  /** Folder of the state of the supervisor, without symbolic links. */
  readonly owner: string;
}

export const markVariable = "ORCHADM_UNIT";

export const showMark = ({ name, hash, owner }: Mark): string => `${name}:${hash}:${owner}`;

function readMark(text: string): Mark | undefined {
  const [name = "", hash = "", ...owner] = text.split(":");
  return name === "" || hash === "" || owner.length === 0 ? undefined : { name, hash, owner: owner.join(":") };
}

/** `4711 (a name) S 1 4711 …`: fields are counted from the bracket after the name, which may hold anything. */
function statOf(pid: number): Stat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", , group = ""] = fields;
  const started = fields[19];
  if (started === undefined) return undefined;
  return { pid, started, group: Number(group), isDead: state === "Z" || state === "X" };
}

/** @returns undefined where there is none, or it has ended and nobody has taken note */
export function processOf(pid: number): Process | undefined {
  const stat = statOf(pid);
  return stat === undefined || stat.isDead ? undefined : { pid: stat.pid, started: stat.started };
}

export const isAlive = (process: Process): boolean => processOf(process.pid)?.started === process.started;

/**
 * Every process that was started for a unit of this owner, whoever started it. It is asked of the kernel and not of a file, so
 * that nothing is missed which a supervisor started just before it was killed.
 */
export function markedProcesses(owner: string): readonly MarkedProcess[] {
  return readdirSync("/proc").flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) return [];
    // Others' environments cannot be read, and none of them is ours.
    const variables = readText(`/proc/${pid}/environ`)?.split("\0") ?? [];
    const text = variables.find((variable) => variable.startsWith(`${markVariable}=`));
    const mark = text === undefined ? undefined : readMark(text.slice(markVariable.length + 1));
    if (mark?.owner !== owner) return [];
    const stat = statOf(pid);
    return stat === undefined || stat.isDead ? [] : [{ pid, started: stat.started, group: stat.group, mark }];
  });
}

/** Sends a signal to a process, or to its whole group; does nothing where there is none any more. */
export function signal(pid: number, name: NodeJS.Signals, to: "process" | "group" = "process"): void {
  try {
    process.kill(to === "group" ? -pid : pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
