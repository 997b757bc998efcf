import { nearest } from "@orch/status/nearest.js";
import { passedOver, renamed, type Shape } from "./reference-flags.js";

/** What a command line of the reference server says, in words of ours. */
export interface Wanted {
  /** Flags of ours, as they were given. */
  readonly argv: readonly string[];
  /** Their names. */
  readonly given: ReadonlySet<string>;
  /** Where a serving certificate is, or is to be made; undefined where no flag says. */
  readonly certDir: string | undefined;
  /** What has no meaning here, as it was written, each once. */
  readonly passedOver: readonly string[];
}

export type Translation =
  | { readonly ok: true; readonly wanted: Wanted }
  | { readonly ok: false; readonly problem: string };

/** Flags of both, or of the reference alone, that are more than a name for one of ours. */
const special: Readonly<Record<string, Shape>> = {
  "cert-dir": "value",
  // Privileged pods are always taken.
  "allow-privileged": "bool",
};
const unprivileged = new Set(["false", "f", "0", "F", "FALSE", "False"]);
/** A stub stands in for etcd: where one is named, the store in memory is meant. */
const ofEtcd = new Set(["etcd-servers", "etcd-servers-overrides"]);

/**
 * Reads a command line as the reference does (`--name=value`, `--name value`, `--bool`; `_` counts as `-`) into flags of
 * ours, whose shapes are given. A flag of neither is a problem.
 */
export function translate(argv: readonly string[], own: ReadonlyMap<string, Shape>): Translation {
  const args: string[] = [];
  const given = new Set<string>();
  const over = new Set<string>();
  let etcdFlags: readonly string[] = [];
  let certDir: string | undefined;
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? "";
    if (argument === "-h") return { ok: true, wanted: asksForHelp };
    const [, dashes = "", written = "", attached] = /^(--?)([^=-][^=]*)(?:=([\s\S]*))?$/.exec(argument) ?? [];
    if (written === "" || (dashes === "-" && written.length > 1))
      return { ok: false, problem: `unexpected argument: ${shortened(argument)}` };
    const plain = written.replaceAll("_", "-");
    const name = renamed[plain] ?? plain;
    if (name === "help") return { ok: true, wanted: asksForHelp };
    const shape = lookUp(special, name) ?? own.get(name) ?? lookUp(passedOver, name);
    if (shape === undefined) return { ok: false, problem: unknown(written, own) };
    const value = attached ?? (shape === "bool" ? undefined : argv[++i]);
    if (value === undefined && shape === "value") return { ok: false, problem: `flag needs an argument: --${name}` };
    const text = value === undefined ? `--${name}` : `--${name}=${value}`;
    if (name === "cert-dir") certDir = value;
    else if (name === "allow-privileged") {
      if (unprivileged.has(value ?? "")) over.add(`--${name}=false`);
    } else if (name === "advertise-address" && isLoopback(value ?? "")) over.add(text);
    else if (ofEtcd.has(name)) etcdFlags = [...etcdFlags, text];
    else if (own.has(name)) {
      args.push(text);
      given.add(name);
    } else over.add(`--${name}`);
  }
  const onDisk = args.some((arg) => /^--store-in-memory=(?:false|f|0|F|FALSE|False)$/.test(arg));
  const wanted = { argv: [...args, ...(onDisk ? etcdFlags : [])], given, certDir, passedOver: [...over] };
  return { ok: true, wanted };
}

const asksForHelp: Wanted = { argv: ["--help"], given: new Set(["help"]), certDir: undefined, passedOver: [] };

/** No endpoint of a Service can have it; the reference takes it, and has none then. */
const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1";

const lookUp = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

function unknown(name: string, own: ReadonlyMap<string, Shape>): string {
  const found = name.length > 100 ? undefined : nearest(name, [...own.keys(), ...Object.keys(passedOver), "cert-dir"]);
  return `unknown flag: --${shortened(name)}${found === undefined ? "" : ` (did you mean --${found}?)`}`;
}

const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
