import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { etcdHelp, help } from "./help.js";

/** What the folder's programs start, and where others of this machine are. */
export interface AssetsWorld {
  /** The program Node. */
  readonly node: string;
  /** This program's own file. */
  readonly script: string;
  /** Folders in which programs are looked for, as PATH has them. */
  readonly path: string;
  /** A folder for what can be made anew. */
  readonly cache: string;
}

/**
 * Makes a folder with the programs that test environments look for, or puts it right; its path. kube-apiserver and etcd are
 * shell scripts that start this program, kubectl is a link to the first one on the path.
 * @throws Error of the file system
 */
export function makeAssets(world: AssetsWorld, folder: string | undefined): AssetsFolder {
  const programs = {
    "kube-apiserver": scriptOf(world, { word: "", text: help }),
    etcd: scriptOf(world, { word: "etcd ", text: etcdHelp }),
  };
  const at = resolve(folder ?? join(world.cache, "orch", "envtest", hashOf(programs)));
  mkdirSync(at, { recursive: true });
  for (const [name, text] of Object.entries(programs)) writeProgram(join(at, name), text);
  return { path: at, kubectl: linkKubectl(at, world.path) };
}

export interface AssetsFolder {
  readonly path: string;
  /** Where kubectl leads to; undefined where there is none on this machine. */
  readonly kubectl: string | undefined;
}

/** Several may do so at once, and programs may be running: each file is whole at any moment. */
function writeProgram(path: string, text: string): void {
  if (readIfThere(path) === text) return;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o755 });
  renameSync(draft, path);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** A script that starts this program; the question for help is answered by the shell itself. */
function scriptOf(
  { node, script }: AssetsWorld,
  { word, text }: { readonly word: string; readonly text: string },
): string {
  const answer = `if [ "$*" = "--help" ]; then\n  printf '%s' '${text}'\n  exit 0\nfi\n`;
  return `#!/bin/sh\n${answer}exec ${quoted(node)} ${quoted(script)} ${word}"$@"\n`;
}

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const hashOf = (programs: Readonly<Record<string, string>>): string =>
  createHash("sha256").update(JSON.stringify(programs)).digest("hex").slice(0, 16);

function linkKubectl(folder: string, path: string): string | undefined {
  const link = join(folder, "kubectl");
  const places = path.split(delimiter).filter((place) => place !== "" && resolve(place) !== folder);
  const found = places.map((place) => resolve(place, "kubectl")).find(isProgram);
  if (targetOf(link) === found) return found;
  // What is no link of ours was put there by hand.
  if (targetOf(link) === undefined && isThere(link)) return link;
  rmSync(link, { force: true });
  if (found !== undefined) symlinkSync(found, link);
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
