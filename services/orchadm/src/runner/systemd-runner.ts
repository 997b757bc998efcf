import type { ProgramEnd } from "@orch/client/credentials/run-program.js";
import type { Machine } from "../machine/machine.js";
import { readManifests } from "./manifest-folder.js";
import type { RunnerPaths } from "./runner-paths.js";
import { stopOrder } from "./stop-order.js";
import { hashKey, systemdUnit } from "./systemd-unit.js";
import type { Runner, Unit, UnitState, UnitStatus } from "./unit.js";

/** Runs `systemctl` with these arguments. Never rejects. */
export type Systemctl = (args: readonly string[]) => Promise<ProgramEnd>;

export interface SystemdRunnerOptions {
  readonly machine: Machine;
  readonly paths: RunnerPaths;
  readonly systemctl: Systemctl;
  /** Before the names of services that do not have it: `orch-`. */
  readonly prefix: string;
}

const folder = "/etc/systemd/system";
const ending = ".service";
const modeOfServices = 0o644;

/** Units as services of systemd, written from the manifests. They follow no change by themselves: `begin` or `start` does. */
export function createSystemdRunner({ machine, paths, systemctl, prefix }: SystemdRunnerOptions): Runner {
  const serviceOf = (name: string): string => `${name.startsWith(prefix) ? name : `${prefix}${name}`}${ending}`;
  const fileOf = (name: string): string => `${folder}/${serviceOf(name)}`;

  async function ask(...args: readonly string[]): Promise<string> {
    const end = await systemctl(args);
    if (end.how === "done") return end.output.toString("utf8");
    const why = end.how === "missing" ? "there is no such program" : end.why;
    throw new Error(`systemctl ${args.join(" ")}: ${why}`);
  }

  /** Names of our units by their files: those that carry a manifest's hash. */
  function written(): ReadonlyMap<string, string> {
    const services = machine.list(folder).filter((file) => file.startsWith(prefix) && file.endsWith(ending));
    return new Map(
      services.flatMap((file) => {
        const lines = machine.read(`${folder}/${file}`).split("\n");
        const name = settingIn(lines, "Description");
        const hash = settingIn(lines, hashKey);
        return name === undefined || hash === undefined || serviceOf(name) !== file ? [] : [[name, hash]];
      }),
    );
  }

  async function start(unit: Unit): Promise<void> {
    const text = systemdUnit(unit, paths.root);
    const file = fileOf(unit.name);
    const isNew = !machine.exists(file) || machine.read(file) !== text;
    if (isNew) {
      machine.write(file, text, { mode: modeOfServices });
      await ask("daemon-reload");
    }
    const service = serviceOf(unit.name);
    await ask("enable", "--now", service);
    // One that ran by another file goes on as it was.
    if (isNew) await ask("restart", service);
  }

  async function stop(name: string): Promise<void> {
    if (!written().has(name)) return;
    await ask("disable", "--now", serviceOf(name));
    machine.remove(fileOf(name));
    await ask("daemon-reload");
  }

  async function list(): Promise<readonly UnitStatus[]> {
    const units = [...written()].sort(([a], [b]) => (a < b ? -1 : 1));
    if (units.length === 0) return [];
    const shown = await ask(
      "show",
      "--property=Id,ActiveState,SubState,MainPID,NRestarts",
      ...units.map(([name]) => serviceOf(name)),
    );
    const blocks = shown.split("\n\n").map((block) => block.split("\n"));
    return units.map(([name, hash]) => {
      const block = blocks.find((lines) => settingIn(lines, "Id") === serviceOf(name)) ?? [];
      const pid = Number(settingIn(block, "MainPID"));
      return {
        ...{ name, hash, state: stateOf(block), restarts: Number(settingIn(block, "NRestarts")) || 0 },
        ...(pid > 0 ? { pid } : {}),
      };
    });
  }

  return {
    kind: "systemd",
    ...{ start, stop, list },
    status: async (name) => (await list()).find((each) => each.name === name),
    async begin() {
      const { units, problems } = readManifests(paths.manifests);
      const [problem] = problems;
      if (problem !== undefined) throw new Error(problem.join(": "));
      for (const name of written().keys()) if (!units.has(name)) await stop(name);
      for (const { unit } of units.values()) await start(unit);
    },
    async end() {
      for (const name of stopOrder([...written().keys()]).flat()) await stop(name);
    },
  };
}

const settingIn = (lines: readonly string[], key: string): string | undefined =>
  lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);

function stateOf(lines: readonly string[]): UnitState {
  const sub = settingIn(lines, "SubState");
  if (sub === "auto-restart") return "waiting";
  return ["active", "activating", "reloading"].includes(settingIn(lines, "ActiveState") ?? "") ? "running" : "stopped";
}
