import type { Clock } from "@orch/status/clock.js";
import { terminate } from "./keep-running.js";
import { isAlive, type MarkedProcess, markedProcesses, signal } from "./processes.js";
import { adoptProcess, type Running } from "./start-process.js";
import { stopOrder } from "./stop-order.js";
import type { Unit } from "./unit.js";

export interface LeftoverOptions {
  /** Folder of the supervisor's state, without symbolic links. */
  readonly owner: string;
  readonly clock: Pick<Clock, "after">;
  readonly log: (line: string) => void;
}

const stopWithinMs = 30_000;

/**
 * Ends what an earlier supervisor left behind, but for the processes that run as their manifests say; gives those by the names of
 * their units. Children of a process that is gone hold its ports and go at once.
 */
export async function takeLeftovers(
  wanted: Iterable<Unit>,
  { owner, clock, log }: LeftoverOptions,
): Promise<ReadonlyMap<string, Running>> {
  const marked = markedProcesses(owner);
  const hashes = new Map([...wanted].map(({ name, hash }) => [name, hash]));
  const good = new Map<string, MarkedProcess>();
  for (const each of marked.filter(isLeader)) {
    const { name, hash } = each.mark;
    if (hashes.get(name) === hash && !good.has(name)) good.set(name, each);
  }
  const kept = new Set([...good.values()].map(({ group }) => group));
  const others = marked.filter(({ group }) => !kept.has(group));
  await endLeftovers(others, { clock, log });
  for (const [name, { pid }] of good) log(`${name}: took over process ${pid}`);
  return new Map([...good].map(([name, process]) => [name, adoptProcess(process, clock)]));
}

/** Ends processes of units that nobody supervises, in the order in which units stop: leaders, their children with them. */
export async function endLeftovers(
  marked: readonly MarkedProcess[],
  { clock, log }: Pick<LeftoverOptions, "clock" | "log">,
): Promise<void> {
  const led = new Set(marked.filter(isLeader).map(({ group }) => group));
  const end = async (each: MarkedProcess): Promise<void> => {
    if (isLeader(each)) {
      log(`${each.mark.name}: ending process ${each.pid}, which was left behind`);
      await terminate(adoptProcess(each, clock), stopWithinMs, clock);
      signal(each.pid, "SIGKILL", "group");
    } else if (!led.has(each.group) && isAlive(each)) signal(each.pid, "SIGKILL");
  };
  for (const names of stopOrder([...new Set(marked.map(({ mark }) => mark.name))])) {
    await Promise.all(marked.filter(({ mark }) => names.includes(mark.name)).map(end));
  }
}

const isLeader = ({ pid, group }: MarkedProcess): boolean => pid === group;
