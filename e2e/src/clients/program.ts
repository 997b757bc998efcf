import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { livingKinds } from "../harness/manifest-files.js";

/** Where the client programs and the manifests lie. */
export const e2eFolder = fileURLToPath(new URL("../../", import.meta.url));

export interface Exit {
  /** Null where it could not start or was killed. */
  readonly code: number | null;
  readonly output: string;
  /** Standard error, or why it did not start. */
  readonly errors: string;
}

export interface ExecuteOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Runs a command to its end, whatever its end is. */
export function execute(command: readonly string[], options: ExecuteOptions = {}): Promise<Exit> {
  const [file = "", ...args] = command;
  const env = { ...process.env, ...options.env };
  const settings = { cwd: options.cwd ?? e2eFolder, env, timeout: options.timeoutMs ?? 120_000, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    const child = execFile(file, args, settings, (error, output, errors) => {
      const why = error === null || typeof error.code === "number" ? errors : `${error.message}\n${errors}`;
      resolve({ code: child.exitCode, output, errors: why });
    });
  });
}

/** What a client program says about one kind or one question. */
export interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  /** Why it is not. */
  readonly reasons: string;
}

/** Takes the lines apart that client programs print: `ok name`, `not ok name` and, indented, its reasons. */
export function readOutcomes(output: string): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (const line of output.split("\n")) {
    const [, not, name] = /^(not )?ok (.*)$/.exec(line) ?? [];
    const last = outcomes.at(-1);
    if (name !== undefined) outcomes.push({ name, ok: not === undefined, reasons: "" });
    else if (last !== undefined && line !== "")
      outcomes.splice(-1, 1, { ...last, reasons: `${last.reasons}${line}\n` });
  }
  return outcomes;
}

export const manifestFiles = {
  current: join(e2eFolder, "data/manifests.json"),
  removed: join(e2eFolder, "data/removed-versions.json"),
} as const;

/** A copy of a manifest file without {@link livingKinds}, in a folder. */
export async function quietManifests(file: string, folder: string): Promise<string> {
  const text: { readonly kinds: readonly { readonly object: { readonly kind: string } }[] } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  const path = join(folder, basename(file));
  const kinds = text.kinds.filter(({ object }) => !livingKinds.has(object.kind));
  await writeFile(path, JSON.stringify({ ...text, kinds }));
  return path;
}

/** The releases of which there are objects in versions that are removed now. */
export function removedReleases(): readonly string[] {
  const text: unknown = JSON.parse(readFileSync(manifestFiles.removed, "utf8"));
  if (typeof text !== "object" || text === null || !("kinds" in text) || !Array.isArray(text.kinds)) return [];
  return [...new Set(text.kinds.map(({ release }: { release: string }) => release))];
}
