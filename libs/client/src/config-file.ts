import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";

type Fields = Readonly<Record<string, unknown>>;

/** A map of a configuration file whose errors say where it stands. */
export interface Entry {
  readonly fields: Fields;
  /** `/home/ann/.config: user "ann"`. */
  readonly where: string;
  /** What relative paths in it start from. */
  readonly folder: string;
}

/** Client configuration files, merged: of what several of them name, the first one's counts. */
export interface ConfigFiles {
  /** Empty where none names one. */
  readonly currentContext: string;
  /** All of them, for errors. */
  readonly where: string;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

const apiVersions = dialects.map((dialect) => createNaming(dialect).clientConfigApiVersion);

/**
 * Reads files of either dialect. One that is not there is passed over, as long as another is.
 * @throws Error in one line that names the file and what is wrong with it
 */
export async function readConfigFiles(paths: readonly string[]): Promise<ConfigFiles> {
  const contexts = new Map<string, Entry>();
  const clusters = new Map<string, Entry>();
  const users = new Map<string, Entry>();
  let currentContext = "";
  const missing: Error[] = [];
  for (const path of paths) {
    const file = await readConfigFile(path, missing);
    if (file === undefined) continue;
    if (currentContext === "") currentContext = text(file, "current-context") ?? "";
    for (const [list, into] of [
      ["contexts", contexts],
      ["clusters", clusters],
      ["users", users],
    ] as const) {
      for (const [name, entry] of namedEntries(file, list)) if (!into.has(name)) into.set(name, entry);
    }
  }
  if (missing.length === paths.length) throw missing[0] ?? new Error("no client configuration file is named");
  return { currentContext, where: paths.join(", "), contexts, clusters, users };
}

async function readConfigFile(path: string, missing: Error[]): Promise<Entry | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const told = new Error(`${path}: ${messageOf(error)}`, { cause: error });
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw told;
    missing.push(told);
    return undefined;
  }
  const decoded = parseYaml(bytes);
  if (!decoded.ok) throw new Error(`${path}: ${decoded.problem}`);
  const file = { fields: fieldsOf(decoded.value, `${path}: the file`), where: path, folder: dirname(path) };
  const version = text(file, "apiVersion");
  if (file.fields["kind"] !== "Config" || version === undefined || !apiVersions.includes(version)) {
    throw new Error(`${path}: is no client configuration: expected kind Config of ${apiVersions.join(" or ")}`);
  }
  return file;
}

/** `clusters: [{name, cluster: {…}}]`: names and inner objects; the first of a name counts. */
function namedEntries(file: Entry, list: "contexts" | "clusters" | "users"): readonly (readonly [string, Entry])[] {
  const inner = list.slice(0, -1);
  const entries = file.fields[list] ?? [];
  if (!Array.isArray(entries)) throw new Error(`${file.where}: ${list} is not a list`);
  return entries.map((value: unknown) => {
    const entry = { ...file, fields: fieldsOf(value, `${file.where}: an entry of ${list}`) };
    const name = text(entry, "name");
    if (name === undefined) throw new Error(`${file.where}: an entry of ${list} has no name`);
    const where = `${file.where}: ${inner} "${name}"`;
    return [name, { ...file, where, fields: fieldsOf(entry.fields[inner] ?? {}, where) }] as const;
  });
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${what} is not a map`);
  return { ...value };
}

/** A string that is there and not empty. */
export function text({ fields, where }: Entry, key: string): string | undefined {
  const value = fields[key] ?? "";
  if (typeof value !== "string") throw new Error(`${where}: ${key} is not a string`);
  return value === "" ? undefined : value;
}

export function flag({ fields, where }: Entry, key: string): boolean {
  const value = fields[key] ?? false;
  if (typeof value !== "boolean") throw new Error(`${where}: ${key} is neither true nor false`);
  return value;
}

export function texts({ fields, where }: Entry, key: string): readonly string[] {
  const value = fields[key] ?? [];
  if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
  throw new Error(`${where}: ${key} is not a list of strings`);
}

/** A map inside an entry; undefined where there is none. */
export function inside(entry: Entry, key: string): Entry | undefined {
  const value = entry.fields[key];
  if (value === undefined || value === null) return undefined;
  const where = `${entry.where}: ${key}`;
  return { ...entry, where, fields: fieldsOf(value, where) };
}

/** The maps of a list inside an entry. */
export function listed(entry: Entry, key: string): readonly Entry[] {
  const value = entry.fields[key] ?? [];
  if (!Array.isArray(value)) throw new Error(`${entry.where}: ${key} is not a list`);
  return value.map((item: unknown, i) => {
    const where = `${entry.where}: ${key}[${i}]`;
    return { ...entry, where, fields: fieldsOf(item, where) };
  });
}

/** Where a relative path of an entry leads. */
export function pathOf(entry: Entry, key: string): string | undefined {
  const path = text(entry, key);
  return path === undefined ? undefined : resolve(entry.folder, path);
}

/** `<key>-data` in base64, which wins, or what stands in the file that `<key>` names. */
export async function pem(entry: Entry, key: string): Promise<string | undefined> {
  const data = text(entry, `${key}-data`);
  if (data !== undefined) {
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(data)) throw new Error(`${entry.where}: ${key}-data is not base64`);
    return Buffer.from(data, "base64").toString("utf8");
  }
  const path = pathOf(entry, key);
  return path === undefined ? undefined : await fileOf(entry, key, path);
}

/** What stands in a file that an entry names. */
export async function fileOf(entry: Entry, key: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Error(`${entry.where}: ${key}: ${messageOf(error)}`, { cause: error });
  }
}
