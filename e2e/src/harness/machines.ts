import { execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Exit, execute } from "../clients/program.js";
import { type Ended, programs } from "../command-line-program.js";
import { untilSo } from "./until.js";

/** A machine that is played here: a root of files, and a loopback address of its own. */
export interface PlayedMachine {
  readonly name: string;
  readonly address: string;
  readonly root: string;
  /** Of its administrator, once it is of the control plane. */
  readonly admin: string;
  /** Runs a command of the bootstrapper on it. */
  adm(...args: readonly string[]): Promise<Ended>;
  /** Asks this machine's own server. */
  kubectl(...args: readonly string[]): Promise<Exit>;
  /** Process ids of its units, by their names. */
  units(): ReadonlyMap<string, number>;
  /** Ends everything on it at once (kill -9), its supervisor first. */
  cut(): Promise<void>;
  /** Has it run its manifests, as a machine that starts. */
  boot(): Promise<void>;
  /** Files that are left on it. */
  files(): readonly string[];
}

export interface Machines {
  readonly folder: string;
  machine(name: string): PlayedMachine;
  file(name: string, text: string): Promise<string>;
  stop(): Promise<void>;
}

const dialect = "--api-dialect=kubernetes";
const longestMs = 300_000;

/** Machines of one test: addresses of 127.0.0.0/8 that nobody else has, and ports as real machines have them. */
export async function playMachines(): Promise<Machines> {
  const folder = await mkdtemp(join(tmpdir(), "orch-machines-"));
  const network = `127.${randomInt(64, 250)}.${randomInt(1, 255)}`;
  const machines: PlayedMachine[] = [];
  return {
    folder,
    machine(name) {
      const made = machineOf(name, {
        address: `${network}.${machines.length + 1}`,
        root: join(folder, name),
        home: folder,
      });
      machines.push(made);
      return made;
    },
    async file(name, text) {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
    async stop() {
      for (const machine of machines) await machine.cut();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly address: string;
  readonly root: string;
  readonly home: string;
}

interface Told {
  readonly supervisor?: { readonly pid: number };
  readonly units: readonly { readonly name: string; readonly pid?: number }[];
}

function machineOf(name: string, { address, root, home }: Place): PlayedMachine {
  const command = (args: readonly string[]): readonly string[] => [
    programs.orch,
    "adm",
    ...args,
    `--rootfs=${root}`,
    dialect,
  ];
  const told = (): Told => {
    const path = join(root, "run/kubeadm/units.json");
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { units: [] };
  };
  const units = (): ReadonlyMap<string, number> =>
    new Map(told().units.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid] as const])));
  const admin = join(root, "etc/kubernetes/admin.conf");
  return {
    ...{ name, address, root, admin, units },
    adm: (...args) =>
      new Promise((resolve) => {
        execFile(process.execPath, command(args), { timeout: longestMs }, (error, out, err) =>
          resolve({ code: Number(error?.code ?? 0), out, err }),
        );
      }),
    kubectl: (...args) =>
      execute(["kubectl", `--server=https://${address}:6443`, `--cache-dir=${join(home, "cache")}`, ...args], {
        env: { KUBECONFIG: admin, HOME: home },
        timeoutMs: 120_000,
      }),
    async cut() {
      const { supervisor } = told();
      if (supervisor !== undefined) kill(supervisor.pid);
      for (const pid of units().values()) kill(pid);
    },
    async boot() {
      const before = told().supervisor?.pid;
      spawn(process.execPath, command(["run"]), { detached: true, stdio: "ignore" }).unref();
      await untilSo(`${name} runs its manifests`, async () => {
        const now = told().supervisor?.pid;
        return now !== undefined && now !== before;
      });
    },
    files: () =>
      existsSync(root)
        ? readdirSync(root, { recursive: true, withFileTypes: true })
            .filter((entry) => !entry.isDirectory())
            .map((entry) => join(entry.parentPath, entry.name))
        : [],
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
