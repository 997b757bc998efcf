import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export interface WriteOptions {
  /** 0o600 unless told otherwise. */
  readonly mode?: number;
}

/**
 * The files of a machine. Paths are absolute, as the machine itself has them; where the root is another folder only `at`
 * knows. Processes that run here, whatever the root, are given what `at` says.
 */
export interface Machine {
  /** Empty: the machine's own. */
  readonly root: string;
  readonly isDry: boolean;
  /** Where a path of the machine lies for processes. */
  at(path: string): string;
  exists(path: string): boolean;
  /** @throws Error where there is no such file */
  read(path: string): string;
  /** Names in a folder, sorted; none where there is no such folder. */
  list(path: string): readonly string[];
  /** Whole or not at all; folders that lack are made. */
  write(path: string, text: string, options?: WriteOptions): void;
  makeFolder(path: string, mode?: number): void;
  /** A file, or a folder with all that is in it. Nothing happens where there is none. */
  remove(path: string): void;
}

const usualMode = 0o600;
const folderMode = 0o700;

/** The machine whose files lie under `root`. */
export function createMachine(root: string): Machine {
  const at = (path: string): string => (root === "" ? path : join(root, path));
  return {
    root,
    isDry: false,
    at,
    exists: (path) => existsSync(at(path)),
    read: (path) => readFileSync(at(path), "utf8"),
    list: (path) => (existsSync(at(path)) && statSync(at(path)).isDirectory() ? readdirSync(at(path)).sort() : []),
    write(path, text, { mode = usualMode } = {}) {
      const file = at(path);
      mkdirSync(dirname(file), { recursive: true });
      // A leftover of a run that was broken off would keep its own mode.
      rmSync(`${file}.new`, { force: true });
      writeFileSync(`${file}.new`, text, { mode });
      renameSync(`${file}.new`, file);
    },
    makeFolder(path, mode = folderMode) {
      mkdirSync(at(path), { recursive: true, mode });
      chmodSync(at(path), mode);
    },
    remove: (path) => rmSync(at(path), { recursive: true, force: true }),
  };
}

/** Tells what would be written and keeps it in memory, so that later steps read what earlier ones would have left. */
export function dryMachine(real: Machine, print: (text: string) => void): Machine {
  const written = new Map<string, string | undefined>();
  const isThere = (path: string): boolean => (written.has(path) ? written.get(path) !== undefined : real.exists(path));
  return {
    ...real,
    isDry: true,
    exists: isThere,
    read: (path) => written.get(path) ?? real.read(path),
    list(path) {
      const inside = (file: string): boolean => dirname(file) === path;
      const names = new Set([
        ...real.list(path),
        ...[...written.keys()].filter(inside).map((file) => file.slice(path.length + 1)),
      ]);
      return [...names].filter((name) => isThere(join(path, name))).sort();
    },
    write(path, text, { mode = usualMode } = {}) {
      written.set(path, text);
      const shown = withoutSecrets(text);
      print(
        `[dryrun] Would write file ${JSON.stringify(real.at(path))} (mode ${mode.toString(8)}) with content:\n${indented(shown)}`,
      );
    },
    makeFolder: (path) => print(`[dryrun] Would create the folder ${JSON.stringify(real.at(path))}\n`),
    remove(path) {
      written.set(path, undefined);
      print(`[dryrun] Would remove ${JSON.stringify(real.at(path))}\n`);
    },
  };
}

const secret = "(a secret: not shown)";

/** Keys and tokens are told as what they are. */
const withoutSecrets = (text: string): string =>
  text.includes("PRIVATE KEY") ? `${secret}\n` : text.replace(/^( *)(client-key-data|token): .*$/gm, `$1$2: ${secret}`);

const indented = (text: string): string => text.replace(/^(?=.)/gm, "\t");
