import { readFileSync, statSync } from "node:fs";
import { readDocument, splitDocuments } from "@orch/codec/configuration-document.js";
import { parseYaml, printYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { cut } from "@orch/status/cut.js";
import { messageOf } from "@orch/status/message-of.js";
import { didYouMean } from "@orch/status/nearest.js";
import type { Component } from "../component-file.js";
import { configFlags } from "./config-flags.js";
import type { ConfigValue } from "./flag-types.js";
import type { Flags, FlagValues, Occurrences } from "./flags.js";

/** One form for both dialects: which one is served is a flag. */
const apiVersion = `${createNaming("orch").group("flags.config")}/v1`;
const maxBytes = 1024 * 1024;
const ownFields = ["apiVersion", "kind", "flags"];

/** `orch-watch-cache` → `WatchCacheFlags`: a file of one program is not taken by another. */
function kindOf(program: string): string {
  const words = program.split("-").slice(program.includes("-") ? 1 : 0);
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Flags`;
}

interface ProgramFlags<F extends Flags> {
  readonly name: string;
  readonly flags: F;
}

/**
 * The file that gives these values; what it says is read as the command line would say it. With a component configuration
 * it has two documents: that one for what it has fields for, the values of all other flags. Where a field cannot say a
 * value (zero is often its default) the flag is there, too, and wins.
 */
export function printConfig<F extends Flags>(
  { name, flags }: ProgramFlags<F>,
  values: FlagValues<F>,
  component?: Component,
): string {
  const shown = Object.fromEntries(
    Object.entries(flags)
      .filter(([flag]) => !Object.hasOwn(configFlags, flag))
      .map(([flag, type]) => [flag, type.show(values[flag])]),
  );
  const print = (own: Readonly<Record<string, ConfigValue>>): string =>
    printYaml({ apiVersion, kind: kindOf(name), flags: own });
  if (component === undefined) return print(shown);
  const { text, occurrences } = component.print(shown);
  const isSaid = (flag: string): boolean =>
    component.flags.has(flag) && JSON.stringify(readBack(flags, flag, occurrences)) === JSON.stringify(shown[flag]);
  return `${print(Object.fromEntries(Object.entries(shown).filter(([flag]) => !isSaid(flag))))}---\n${text}`;
}

/** What a flag would be after a start with nothing but these occurrences. */
function readBack(flags: Flags, name: string, occurrences: Occurrences): ConfigValue | undefined {
  const flag = flags[name];
  let value: unknown;
  for (const { text } of occurrences.filter((each) => each.name === name)) {
    const read = flag?.read(text, value);
    if (read?.ok === true) value = read.value;
  }
  return flag?.show(value ?? flag.default);
}

export type ConfigFile =
  | { readonly ok: true; readonly occurrences: Occurrences }
  | { readonly ok: false; readonly problems: readonly string[] };

export type ConfigFiles =
  /** `others`: documents of kinds that are not the values of flags. */
  | { readonly ok: true; readonly occurrences: Occurrences; readonly others: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads what `--config` names; nothing where it names nothing. `component`: whether the program knows other kinds. */
export function readConfigFile(
  { name, flags, component }: ProgramFlags<Flags> & { readonly component?: unknown },
  path: string,
): ConfigFiles {
  if (path === "") return { ok: true, occurrences: [], others: [] };
  const refuse = (problems: readonly string[]): ConfigFiles => ({
    ok: false,
    problems: problems.map((each) => `--config: ${path}: ${each}`),
  });
  let bytes: Buffer;
  try {
    if (statSync(path).size > maxBytes) return refuse([`is longer than ${maxBytes} bytes`]);
    bytes = readFileSync(path);
  } catch (error) {
    return refuse([messageOf(error)]);
  }
  const { own, others } = component === undefined ? { own: [bytes], others: [] } : partedFile(name, bytes);
  const [first, second] = own;
  if (second !== undefined) return refuse([`kind ${kindOf(name)} duplicated`]);
  const file: ConfigFile = first === undefined ? { ok: true, occurrences: [] } : readConfig(name, flags, first);
  return file.ok ? { ...file, others } : refuse(file.problems);
}

/** A document without a kind, or of another program's flags, counts as its own: whose reader says what is wrong with it. */
function partedFile(program: string, bytes: Buffer) {
  const texts = splitDocuments(bytes.toString("utf8"));
  if (texts.length === 0) return { own: [bytes], others: [] };
  const isOther = (each: string): boolean => {
    const read = readDocument(each);
    return read.ok && read.document.kind !== kindOf(program) && read.document.apiVersion !== apiVersion;
  };
  return {
    own: texts.filter((each) => !isOther(each)).map((each) => Buffer.from(each)),
    others: texts.filter(isOther),
  };
}

/** Reads such a file; each problem begins with the path of the field: `flags.secure-port: …`. */
export function readConfig(program: string, flags: Flags, bytes: Buffer): ConfigFile {
  const decoded = parseYaml(bytes);
  if (!decoded.ok) return { ok: false, problems: [decoded.problem] };
  const problems = decoded.duplicates.map((path) => `${path}: stands there twice`);
  const file = decoded.value;
  if (!isObject(file)) return { ok: false, problems: ["must be a map with apiVersion, kind and flags"] };
  const expected = { apiVersion, kind: kindOf(program) };
  for (const field of ["apiVersion", "kind"] as const) {
    if (file[field] !== expected[field]) problems.push(`${field}: must be ${expected[field]}`);
  }
  for (const field of Object.keys(file)) {
    if (!ownFields.includes(field)) problems.push(`${shown(field)}: unknown field${meant(field, ownFields)}`);
  }
  const values = file["flags"] ?? {};
  if (!isObject(values)) return { ok: false, problems: [...problems, "flags: must be a map of flags"] };
  const occurrences: { readonly name: string; readonly text: string }[] = [];
  for (const [name, value] of Object.entries(values)) {
    const read = readFlag(flags, name, value);
    if ("problem" in read) problems.push(`flags.${read.problem}`);
    else occurrences.push(...read.texts.map((text) => ({ name, text })));
  }
  return problems.length === 0 ? { ok: true, occurrences } : { ok: false, problems };
}

function readFlag(
  flags: Flags,
  name: string,
  value: unknown,
): { readonly texts: readonly string[] } | { readonly problem: string } {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag === undefined) return { problem: `${shown(name)}: unknown flag${meant(name, Object.keys(flags))}` };
  if (Object.hasOwn(configFlags, name)) return { problem: `${name}: stands on the command line alone` };
  const texts = textsOf(value);
  if (texts === undefined) return { problem: `${name}: must be a value, or a list or map of values` };
  let before: unknown;
  for (const text of texts) {
    const read = flag.read(text, before);
    if (!read.ok) return { problem: `${name}: invalid value ${shown(text)}: ${read.problem}` };
    before = read.value;
  }
  return { texts };
}

/** What would stand on the command line, an item for each occurrence; undefined for what has no such form. */
function textsOf(value: unknown): readonly string[] | undefined {
  if (isScalar(value)) return [String(value)];
  if (Array.isArray(value)) return value.every(isScalar) ? value.map(String) : undefined;
  if (!isObject(value) || !Object.values(value).every(isScalar)) return undefined;
  return Object.entries(value).map(([key, item]) => `${key}=${String(item)}`);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

const longest = 100;

/** A name or value of the file in a sentence. */
const shown = (text: string): string => JSON.stringify(cut(text, longest));

const meant = (word: string, known: readonly string[]): string =>
  word.length > longest ? "" : didYouMean(word, known);
