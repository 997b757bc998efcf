import { readFileSync } from "node:fs";
import type { Parsed } from "@orch/auth/parsed.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { type ReloadDeps, type Reloaded, reloadedFiles } from "@orch/runtime/tls-files.js";
import { messageOf } from "@orch/status/message-of.js";

/** A flag or file that nothing can be made of: a sentence for the person who starts the program. */
export class ConfigurationError extends Error {}

/** The tree of a configuration file, YAML or JSON. @throws ConfigurationError for what cannot be read or says a thing twice */
export function configurationTree(text: string): unknown {
  const read = parseYaml(Buffer.from(text));
  if (!read.ok) throw new ConfigurationError(read.problem);
  const [repeated] = read.duplicates;
  if (repeated !== undefined) throw new ConfigurationError(`field ${JSON.stringify(repeated)} is given twice`);
  return read.value;
}

/** @throws ConfigurationError with all problems, each a line where there are several */
export function orThrow<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  throw new ConfigurationError(parsed.problems.join("\n"));
}

/** Runs what reads a part of the configuration; what is wrong there is told with its name: `--redis`. @throws ConfigurationError */
export async function inPart<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new ConfigurationError(`${name}: ${messageOf(error)}`);
  }
}

/** What stands in the file that a flag names; "" where it names none. @throws ConfigurationError */
export function textOfFile(flag: string, path: string): string {
  try {
    return path === "" ? "" : readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigurationError(`${flag}: ${messageOf(error)}`);
  }
}

export interface FollowOptions<T> extends ReloadDeps {
  /** @throws Error where the tree makes none */
  readonly make: (tree: unknown) => T | Promise<T>;
}

/** What the configuration file that a flag names makes, now and from a second after each change on. @throws ConfigurationError */
export function followedFile<T>(flag: string, path: string, { make, ...deps }: FollowOptions<T>): Promise<Reloaded<T>> {
  const madeOf = ([text = ""]: readonly string[]): T | Promise<T> => make(configurationTree(text));
  return inPart(flag, () => reloadedFiles({ ...deps, paths: [path], make: madeOf }));
}
