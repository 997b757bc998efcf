import type { Parsed } from "@orch/auth/parsed.js";
import { parseYaml } from "@orch/codec/yaml.js";

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

/** Runs what reads a flag's value; what is wrong there is told with the flag's name. @throws ConfigurationError */
export async function ofFlag<T>(flag: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new ConfigurationError(`--${flag}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
