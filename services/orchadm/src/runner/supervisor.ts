import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { type Clock, sleep } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import { StoreLockedError, takeLock } from "@orch/store/embedded/lock.js";
import { type Board, createBoard } from "./board.js";
import { heldUnits } from "./held-units.js";
import { keepRunning } from "./keep-running.js";
import { takeLeftovers } from "./leftovers.js";
import { boundLog } from "./log-file.js";
import { type ManifestFolder, type PlacedUnit, readManifests } from "./manifest-folder.js";
import type { Probe } from "./probe.js";
import { processOf } from "./processes.js";
import { logOf, pidFile, type RunnerPaths, statusFile, supervisorLog } from "./runner-paths.js";
import { type Running, startProcess } from "./start-process.js";
import { stopOrder } from "./stop-order.js";
import type { Unit } from "./unit.js";

export interface SupervisorOptions {
  readonly paths: RunnerPaths;
  readonly clock: Clock;
  readonly probe: Probe;
  /** Of this process: units get little of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes a line of the log. */
  readonly log: (line: string) => void;
  /** Of this process. */
  readonly pid: number;
}

/** How often manifests are read anew. */
const lookEveryMs = 1000;

/**
 * Runs what the manifests of a machine say, a process each, until `signal` aborts; then ends them in order. One supervisor runs
 * a root at a time. What one that was killed left behind is taken over where its manifest is still the same, and ended where not.
 * @throws Error where another one runs
 */
export async function supervise(options: SupervisorOptions, signal: AbortSignal): Promise<void> {
  const { paths, clock, log, pid } = options;
  mkdirSync(paths.state, { recursive: true, mode: 0o700 });
  const unlock = lock(paths);
  try {
    writeFileSync(pidFile(paths), `${pid}\n`);
    log(`supervising ${paths.root} as process ${pid}`);
    const owner = realpathSync(paths.state);
    let wake = new AbortController();
    signal.addEventListener("abort", () => wake.abort());
    const units = createUnits(options, owner, () => wake.abort());
    const held = heldUnits(paths);
    const first = readManifests(paths.manifests);
    const wanted = [...first.units.values()].map(({ unit }) => unit).filter(({ name }) => !held.has(name));
    const leftovers = await takeLeftovers(wanted, { owner, clock, log });
    units.follow(first, held, leftovers);
    while (!signal.aborted) {
      wake = new AbortController();
      await sleep(clock, lookEveryMs, wake.signal);
      if (!signal.aborted) lookAgain(units, options);
    }
    log("stopping");
    await units.stop();
    for (const file of [pidFile(paths), statusFile(paths)]) rmSync(file, { force: true });
    log("stopped");
  } finally {
    unlock();
  }
}

function lock({ state, root }: RunnerPaths): () => void {
  try {
    return takeLock(state);
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error;
    throw new Error(`process ${error.pid} runs the units of ${root} already`, { cause: error });
  }
}

function lookAgain(units: Units, { paths, log }: SupervisorOptions): void {
  try {
    units.follow(readManifests(paths.manifests), heldUnits(paths), new Map());
    for (const name of [supervisorLog, ...units.names()]) boundLog(logOf(paths, name));
  } catch (error) {
    log(`the manifests cannot be followed: ${messageOf(error)}`);
  }
}

/** The units that are kept running. */
interface Units {
  /** Starts, ends and starts anew, so that what runs is what a folder says without those that are held. */
  follow(folder: ManifestFolder, held: ReadonlySet<string>, leftovers: ReadonlyMap<string, Running>): void;
  names(): readonly string[];
  /** Ends all, those last that others ask. */
  stop(): Promise<void>;
}

interface Kept extends PlacedUnit {
  /** Aborted once it shall end. */
  readonly ending: AbortController;
  readonly done: Promise<void>;
}

/** `onEnd` is called whenever one has ended because it should. */
function createUnits(options: SupervisorOptions, owner: string, onEnd: () => void): Units {
  const { paths, clock, probe, environment, log, pid } = options;
  const kept = new Map<string, Kept>();
  const board = createBoard({ paths, log, supervisor: processOf(pid) });
  const start = (unit: Unit): Running =>
    startProcess(unit, { owner, environment, workingDir: paths.root, log: logOf(paths, unit.name) });

  function launch({ unit, path }: PlacedUnit, adopted: Running | undefined): void {
    const { name } = unit;
    const ending = new AbortController();
    const run = async (): Promise<void> => {
      const given = { signal: ending.signal, ...(adopted === undefined ? {} : { adopted }) };
      await keepRunning(unit, { clock, probe, start, told: board.told }, given);
      // One that is over by its policy stays known, so that it is not started again.
      if (!ending.signal.aborted) return;
      forget(name);
    };
    kept.set(name, { unit, path, ending, done: run() });
  }

  function forget(name: string): void {
    kept.delete(name);
    board.gone(name);
    onEnd();
  }

  return {
    follow({ units, problems }, held, leftovers) {
      board.problems(problems);
      for (const [name, each] of kept) {
        const isWanted = !held.has(name) && isStill(each, units.get(name), problems);
        if (isWanted || each.ending.signal.aborted) continue;
        each.ending.abort();
        if (isOver(board, name)) forget(name);
      }
      for (const [name, placed] of units) {
        if (!kept.has(name) && !held.has(name)) launch(placed, leftovers.get(name));
      }
    },
    names: () => [...kept.keys()],
    async stop() {
      for (const group of stopOrder([...kept.keys()])) {
        const ending = group.flatMap((name) => kept.get(name) ?? []);
        for (const each of ending) each.ending.abort();
        await Promise.all(ending.map(({ done }) => done));
      }
    },
  };
}

/** Who breaks a manifest did not mean to end what runs by it. */
function isStill(
  { unit, path }: PlacedUnit,
  wanted: PlacedUnit | undefined,
  problems: ReadonlyMap<string, string>,
): boolean {
  if (wanted !== undefined) return wanted.unit.hash === unit.hash;
  return [...problems.keys()].some((bad) => bad === path || path.startsWith(`${bad}/`));
}

const isOver = (board: Board, name: string): boolean => board.stateOf(name) === "stopped";
