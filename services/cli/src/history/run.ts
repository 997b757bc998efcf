import { parseArgs } from "node:util";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Named } from "./past.js";
import { hasHistory, nameOf, resourceOf, type Server } from "./server.js";
import { options, optionsOf, type Word } from "./usage.js";
import { type HistoryWorld, Unusable } from "./world.js";

export type Values = ReturnType<typeof parse>["values"];

/** A command with what it was given and the server that it is about. */
export interface Run {
  readonly word: Word;
  readonly values: Values;
  readonly words: readonly string[];
  readonly server: Server;
  readonly world: HistoryWorld;
}

/** @throws Error of what the command does not take */
export function parse(word: Word, args: readonly string[]) {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const taken: readonly string[] = optionsOf(word);
  const other = Object.keys(values).find((name) => !taken.includes(name));
  if (other !== undefined) throw new Unusable(`--${other} means nothing here: see --help`);
  return { values, positionals };
}

/** `KIND/NAME`, or two words. @throws Unusable */
export function named({ words, values, server }: Run): Named {
  const [first = "", second, ...more] = words;
  const slash = first.indexOf("/");
  const [kind, name] = slash < 0 ? [first, second ?? ""] : [first.slice(0, slash), first.slice(slash + 1)];
  const tooMany = more.length > 0 || (slash >= 0 && second !== undefined);
  if (kind === "" || name === "" || tooMany) throw new Unusable("one object is needed: KIND/NAME");
  const resource = resourceOf(server, kind);
  if (!hasHistory(resource))
    throw new Unusable(`the server keeps no history of ${nameOf(resource)} (--object-history)`);
  return { resource, name, namespace: resource.namespaced ? (values.namespace ?? server.namespace) : "" };
}

export type OutputForm = "yaml" | "json";

/** Undefined for text. @throws Unusable */
export function formOf({ output }: Values): OutputForm | undefined {
  if (output === undefined || output === "yaml" || output === "json") return output;
  throw new Unusable("--output: must be yaml or json");
}

export function printed(document: unknown, form: OutputForm): string {
  return form === "yaml" ? printYaml(document) : `${JSON.stringify(document, undefined, 2)}\n`;
}

/** @throws Unusable */
export function isColoured({ values, world }: Pick<Run, "values" | "world">): boolean {
  const { color = "auto" } = values;
  if (color !== "auto" && color !== "always" && color !== "never")
    throw new Unusable("--color: must be auto, always or never");
  return color === "always" || (color === "auto" && world.isTerminal.output && !world.environment["NO_COLOR"]);
}
