import { durationMs, formatMs } from "@orch/schema/formats/duration.js";

/** What reading one flag's value gave. */
export type FlagValue<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export interface Flag<T> {
  /** Word for the value in the help: `int`, `duration`, `address`. */
  readonly type: string;
  readonly default: T;
  /** The default as the help shows it; empty where there is none. */
  readonly shownDefault: string;
  readonly help: string;
  /** Heading in the help. */
  readonly group: string;
  /** What is too long for the help: printed by `--help=<name>`. */
  readonly topic?: HelpTopic;
  /** Reads an occurrence; `before` is what earlier occurrences gave, absent at the first. */
  read(text: string, before: T | undefined): FlagValue<T>;
  /** How a value stands in a configuration file: what {@link read} takes for the same, or a list or map of that. */
  show(value: T): ConfigValue;
}

/** Of a list each item is an occurrence of the flag, of a map each entry, as `key=value`. */
export type ConfigValue = ConfigScalar | readonly ConfigScalar[] | Readonly<Record<string, ConfigScalar>>;
export type ConfigScalar = string | number | boolean;

export interface HelpTopic {
  readonly name: string;
  readonly text: () => string;
}

export interface FlagText {
  readonly help: string;
  readonly group?: string;
}

const generic = "Flags";

function described(text: FlagText): { readonly help: string; readonly group: string } {
  return { help: text.help, group: text.group ?? generic };
}

const same = <T>(value: T): T => value;

const refused = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem });

export function stringFlag(def: string, text: FlagText & { readonly word?: string }): Flag<string> {
  return {
    ...described(text),
    type: text.word ?? "string",
    default: def,
    shownDefault: def,
    read: (value) => ({ ok: true, value }),
    show: same,
  };
}

export function boolFlag(def: boolean, text: FlagText): Flag<boolean> {
  return {
    ...described(text),
    type: "bool",
    default: def,
    shownDefault: String(def),
    read(value) {
      const read = readBool(value);
      return read === undefined ? refused("must be true or false") : { ok: true, value: read };
    },
    show: same,
  };
}

function readBool(text: string): boolean | undefined {
  if (["true", "t", "1", "T", "TRUE", "True"].includes(text)) return true;
  return ["false", "f", "0", "F", "FALSE", "False"].includes(text) ? false : undefined;
}

export interface IntRange {
  readonly min?: number;
  readonly max?: number;
}

export function intFlag(def: number, text: FlagText & IntRange): Flag<number> {
  const min = text.min ?? Number.MIN_SAFE_INTEGER;
  const max = text.max ?? Number.MAX_SAFE_INTEGER;
  return {
    ...described(text),
    type: "int",
    default: def,
    shownDefault: String(def),
    read(value) {
      const number = Number(value);
      if (!/^[-+]?\d+$/.test(value) || !Number.isSafeInteger(number)) return refused("must be an integer");
      if (number < min || number > max) return refused(`must be ${rangeText(text)}`);
      return { ok: true, value: number };
    },
    show: same,
  };
}

function rangeText({ min, max }: IntRange): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `between ${min} and ${max}`;
}

/** A number with or without a fraction: `0.5`, `10`. */
export function numberFlag(def: number, text: FlagText): Flag<number> {
  return {
    ...described(text),
    type: "number",
    default: def,
    shownDefault: String(def),
    read(value) {
      const number = Number(value);
      return value.trim() === "" || !Number.isFinite(number)
        ? refused("must be a number")
        : { ok: true, value: number };
    },
    show: same,
  };
}

/** Milliseconds, written as `10s` or `1m30s`; never negative. */
export function durationFlag(defaultMs: number, text: FlagText): Flag<number> {
  return {
    ...described(text),
    type: "duration",
    default: defaultMs,
    shownDefault: formatMs(defaultMs),
    read(value) {
      const ms = durationMs(value);
      if (ms === undefined) return refused("must be a duration such as 10s or 1m30s");
      return ms < 0 ? refused("must not be negative") : { ok: true, value: ms };
    },
    show: formatMs,
  };
}

export function enumFlag<const T extends string>(choices: readonly T[], def: T, text: FlagText): Flag<T> {
  return {
    ...described(text),
    type: choices.join("|"),
    default: def,
    shownDefault: def,
    read(value) {
      const choice = choices.find((c) => c === value);
      return choice === undefined ? refused(`must be one of ${choices.join(", ")}`) : { ok: true, value: choice };
    },
    show: same,
  };
}

/** `--x=a,b --x=c` → `["a","b","c"]`. */
export function listFlag(def: readonly string[], text: FlagText): Flag<readonly string[]> {
  return {
    ...described(text),
    type: "list",
    default: def,
    shownDefault: def.join(","),
    read: (value, before = []) => ({ ok: true, value: [...before, ...value.split(",").filter((s) => s !== "")] }),
    show: same,
  };
}

/** `--x=A=true,B=false --x=C=true` → `{A: true, B: false, C: true}`, as `--feature-gates` is written. */
export function switchesFlag(text: FlagText & { readonly topic?: HelpTopic }): Flag<ReadonlyMap<string, boolean>> {
  return {
    ...described(text),
    ...(text.topic === undefined ? {} : { topic: text.topic }),
    type: "key=bool,...",
    default: new Map(),
    shownDefault: "",
    read(value, before) {
      const map = new Map(before);
      for (const pair of value.split(",").filter((s) => s.trim() !== "")) {
        const at = pair.indexOf("=");
        if (at <= 0) return refused(`"${pair}" must be formatted as key=value`);
        const on = readBool(pair.slice(at + 1).trim());
        if (on === undefined) return refused(`"${pair}" must be true or false`);
        map.set(pair.slice(0, at).trim(), on);
      }
      return { ok: true, value: map };
    },
    show: (value) => Object.fromEntries(value),
  };
}
