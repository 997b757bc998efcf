import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import type { Process } from "./processes.js";
import { type RunnerPaths, statusFile } from "./runner-paths.js";
import type { UnitStatus } from "./unit.js";

/** What a supervisor tells other processes: each of its units, and which manifests it could not take. */
export interface Told {
  /** Itself; absent where nobody knows. It may have ended since. */
  readonly supervisor?: Process;
  readonly units: readonly UnitStatus[];
  /** Paths, and what is wrong with them. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Whole or not at all: it is read at any moment. */
export function writeStatus(paths: RunnerPaths, told: Told): void {
  const path = statusFile(paths);
  writeFileSync(`${path}.new`, `${JSON.stringify(told, undefined, 2)}\n`, { mode: 0o644 });
  renameSync(`${path}.new`, path);
}

/** What the supervisor told last; nothing where there was none. */
export function readStatus(paths: RunnerPaths): Told {
  let value: unknown;
  try {
    value = readJson(readFileSync(statusFile(paths), "utf8"));
  } catch {
    return { units: [], problems: {} };
  }
  const { units, problems, supervisor } = isObject(value) ? value : {};
  const { pid, started } = isObject(supervisor) ? supervisor : {};
  return {
    ...(typeof pid === "number" && typeof started === "string" ? { supervisor: { pid, started } } : {}),
    units: Array.isArray(units) ? units.flatMap((each: unknown) => statusOf(each) ?? []) : [],
    problems: isObject(problems)
      ? Object.fromEntries(Object.entries(problems).map(([path, problem]) => [path, String(problem)]))
      : {},
  };
}

const states = ["running", "waiting", "stopped"] as const;

function statusOf(value: unknown): UnitStatus | undefined {
  if (!isObject(value)) return undefined;
  const { name, hash, pid, restarts, ready, problem } = value;
  const state = states.find((one) => one === value["state"]);
  if (typeof name !== "string" || typeof hash !== "string" || state === undefined) return undefined;
  return {
    ...{ name, hash, state, restarts: typeof restarts === "number" ? restarts : 0 },
    ...(typeof pid === "number" ? { pid } : {}),
    ...(typeof ready === "boolean" ? { ready } : {}),
    ...(typeof problem === "string" ? { problem } : {}),
  };
}
