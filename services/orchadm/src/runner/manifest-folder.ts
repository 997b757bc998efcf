import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@orch/status/message-of.js";
import { manifestBytes, unitOfManifest } from "./manifest.js";
import type { Unit } from "./unit.js";

export interface ManifestFolder {
  /** Units by their names. */
  readonly units: ReadonlyMap<string, PlacedUnit>;
  /** What is wrong with which file or folder: its path, and a sentence. */
  readonly problems: ReadonlyMap<string, string>;
}

export interface PlacedUnit {
  readonly unit: Unit;
  /** Of its manifest. */
  readonly path: string;
}

/** More than a machine ever has; what is in a folder by mistake costs no more. */
const mostFiles = 100;

/**
 * Every unit of a folder, one a file `NAME.yaml`; names that begin with a dot and other names are passed over. A folder that is
 * missing is an empty one. Of two manifests of one name the first counts, by file name.
 */
export function readManifests(folder: string): ManifestFolder {
  const units = new Map<string, PlacedUnit>();
  const problems = new Map<string, string>();
  const names = namesIn(folder);
  if (names === undefined) problems.set(folder, "it cannot be read");
  for (const [i, name] of (names ?? []).entries()) {
    const path = join(folder, name);
    try {
      if (i >= mostFiles) throw new Error(`a folder holds at most ${mostFiles} manifests`);
      const unit = unitOfManifest(textOf(path));
      if (units.has(unit.name)) throw new Error(`there is another manifest of ${JSON.stringify(unit.name)}`);
      units.set(unit.name, { unit, path });
    } catch (error) {
      // One that went away since is no problem.
      if (!isMissing(error)) problems.set(path, messageOf(error));
    }
  }
  return { units, problems };
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".yaml") && !name.startsWith("."))
      .sort();
  } catch (error) {
    return isMissing(error) ? [] : undefined;
  }
}

function textOf(path: string): string {
  const stat = lstatSync(path);
  // To read a pipe would wait for ever.
  if (!stat.isFile()) throw new Error("it is no regular file");
  if (stat.size > manifestBytes) throw new Error(`it is larger than ${manifestBytes} bytes`);
  return readFileSync(path, "utf8");
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";
