import { lookup } from "node:dns/promises";
import { accessSync, constants } from "node:fs";
import { createServer } from "node:net";
import { cpus, totalmem } from "node:os";
import { delimiter, join } from "node:path";
import type { Clock } from "@orch/status/clock.js";
import { isNewerRelease } from "../configuration/cluster-release.js";
import type { Machine } from "../machine/machine.js";
import { type Check, doubtful, type Finding, wrong } from "./preflight.js";

/** Files below another root are anybody's. */
export const privileged = (machine: Machine): Check => ({
  name: "IsPrivilegedUser",
  find: () => (machine.root !== "" || process.getuid?.() === 0 ? [] : [wrong("user is not running as root")]),
});

/** Servers of names that do not answer are waited for no longer. */
const longestLookupMs = 2_000;

/** Others may have to find the machine by its name. */
export const reachableName = (name: string, clock: Pick<Clock, "after">): Check => ({
  name: "Hostname",
  find: () =>
    new Promise((resolve) => {
      const unreachable = [doubtful(`hostname ${JSON.stringify(name)} could not be reached`)];
      const cancel = clock.after(longestLookupMs, () => resolve(unreachable));
      void lookup(name)
        .then(
          () => resolve([]),
          () => resolve(unreachable),
        )
        .finally(cancel);
    }),
});

export const knownRelease = (name: string, wanted: string, own: string): Check => ({
  name,
  find: () =>
    isNewerRelease(wanted, { version: own })
      ? [
          doubtful(
            `the version ${wanted} of the cluster is greater than that of this program, ${own}: take a newer program`,
          ),
        ]
      : [],
});

const leastCpus = 2;
const leastMegabytes = 1700;
const megabyte = 1 << 20;

export const size: readonly Check[] = [
  {
    name: "NumCPU",
    find() {
      const count = cpus().length;
      return count >= leastCpus
        ? []
        : [doubtful(`the number of available CPUs ${count} is less than the required ${leastCpus}`)];
    },
  },
  {
    name: "Mem",
    find() {
      const megabytes = Math.floor(totalmem() / megabyte);
      return megabytes >= leastMegabytes
        ? []
        : [doubtful(`the system RAM (${megabytes} MB) is less than the minimum ${leastMegabytes} MB`)];
    },
  },
];

export const portFree = (host: string, port: number): Check => ({
  name: `Port-${port}`,
  find: () =>
    new Promise((resolve) => {
      const server = createServer();
      server.once("error", (error: NodeJS.ErrnoException) =>
        resolve([
          wrong(
            error.code === "EADDRINUSE"
              ? `Port ${port} is in use`
              : `Port ${port} cannot be listened at: ${error.message}`,
          ),
        ]),
      );
      server.listen({ host, port, exclusive: true }, () => server.close(() => resolve([])));
    }),
});

const nameOf = (path: string): string => path.replaceAll("/", "-");

export const fileAvailable = (machine: Machine, path: string): Check => ({
  name: `FileAvailable-${nameOf(path)}`,
  find: () => (machine.exists(path) ? [wrong(`${machine.at(path)} already exists`)] : []),
});

export const folderEmpty = (machine: Machine, path: string): Check => ({
  name: `DirAvailable-${nameOf(path)}`,
  find: () => (machine.list(path).length === 0 ? [] : [wrong(`${machine.at(path)} is not empty`)]),
});

/** What somebody else has put on the machine; `name` where several files are one check. */
export const fileExists = (machine: Machine, path: string, name = `FileExisting-${nameOf(path)}`): Check => ({
  name,
  find: () => (machine.exists(path) ? [] : [wrong(`${machine.at(path)} doesn't exist`)]),
});

export type ReadableFiles = Pick<Machine, "exists" | "read">;

interface Content {
  readonly path: string;
  /** With which the file begins. */
  readonly content: string;
  readonly level: (text: string) => Finding;
}

/** A setting of the kernel. */
export const fileContent = (machine: ReadableFiles, { path, content, level }: Content): Check => ({
  name: `FileContent-${nameOf(path)}`,
  find() {
    if (!machine.exists(path)) return [level(`${path} does not exist`)];
    try {
      if (machine.read(path).startsWith(content)) return [];
    } catch {
      return [level(`${path} could not be read`)];
    }
    return [level(`${path} contents are not set to ${content}`)];
  },
});

/** The programs by which a proxy here would write its rules: nobody needs them where none runs. */
export function proxyProgram(mode: string, searched: string): Check {
  const program = mode === "nftables" ? "nft" : "iptables";
  const { name, find } = programExists(program, program, [searched, "/usr/sbin", "/sbin"].join(delimiter));
  return { name, find: async () => (await find()).map(({ text }) => doubtful(text)) };
}

/** A program by its path, or by a name that is looked for in `searched`, as PATH is written. */
export const programExists = (name: string, program: string, searched: string): Check => ({
  name: `FileExisting-${name}`,
  find() {
    const places = program.includes("/") ? [program] : searched.split(delimiter).map((folder) => join(folder, program));
    return places.some(isExecutable) ? [] : [wrong(`${program} not found in system path`)];
  },
});

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not for us
  }
}
