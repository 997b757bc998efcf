import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { heldFolder, type RunnerPaths } from "./runner-paths.js";

/** Units whose manifests are there, and which shall not run all the same. */
export function heldUnits(paths: RunnerPaths): ReadonlySet<string> {
  try {
    return new Set(readdirSync(heldFolder(paths)));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Set();
    throw error;
  }
}

export function hold(paths: RunnerPaths, name: string): void {
  mkdirSync(heldFolder(paths), { recursive: true, mode: 0o700 });
  writeFileSync(join(heldFolder(paths), name), "");
}

export const release = (paths: RunnerPaths, name: string): void =>
  rmSync(join(heldFolder(paths), name), { force: true });
