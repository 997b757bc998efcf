import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** From the one that asks for nothing to the one that asks for most. */
export const levels = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof levels)[number];

/** The minor number of a release, 1.x, of which the rules hold; or those of the newest one. */
export type Version = "latest" | number;

export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

/** What is asked of the pods of a namespace, and what happens to those that break it: refused, noted, told. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export const modes = ["enforce", "audit", "warn"] as const;

const nothingAsked: LevelVersion = { level: "privileged", version: "latest" };

/** What holds where neither the configuration nor a namespace says anything. */
export const privilegedPolicy: Policy = { enforce: nothingAsked, audit: nothingAsked, warn: nothingAsked };

export const levelProblem = `must be one of ${levels.join(", ")}`;
export const versionProblem = 'must be "latest" or "v1.x"';

export function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text);
}

const versionPrefix = "v1.";
/** Digits of a minor number that anybody could mean. */
const mostDigits = 9;

export function parseVersion(text: string): Version | undefined {
  if (text === "latest") return text;
  const digits = text.startsWith(versionPrefix) ? text.slice(versionPrefix.length) : "";
  if (digits === "" || digits.length > mostDigits) return undefined;
  if (digits !== String(Number(digits)) || [...digits].some((digit) => digit < "0" || digit > "9")) return undefined;
  return Number(digits);
}

/** `restricted:v1.25` */
export function policyText({ level, version }: LevelVersion): string {
  return `${level}:${version === "latest" ? version : `${versionPrefix}${version}`}`;
}

/** Positive where the first asks for more. */
export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

export function isPrivileged({ enforce, audit, warn }: Policy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === "privileged");
}

export interface LabelNames {
  readonly level: Readonly<Record<(typeof modes)[number], string>>;
  readonly version: Readonly<Record<(typeof modes)[number], string>>;
}

export function labelNames(naming: Naming): LabelNames {
  const name = (short: string): string => `pod-security.${naming.key(short)}`;
  return {
    level: { enforce: name("enforce"), audit: name("audit"), warn: name("warn") },
    version: { enforce: name("enforce-version"), audit: name("audit-version"), warn: name("warn-version") },
  };
}

export interface PolicyOfLabels {
  readonly policy: Policy;
  /** Labels that say nothing that is known: an unknown level is enforced as the strictest one, and passed over elsewhere. */
  readonly problems: readonly FieldError[];
}

/**
 * What a namespace's labels ask for. Whoever enforces a level and says nothing of warnings has them of that level, too.
 */
export function policyOfLabels(
  labels: Readonly<Record<string, string>>,
  { defaults, names }: { readonly defaults: Policy; readonly names: LabelNames },
): PolicyOfLabels {
  const problems: FieldError[] = [];
  const read = (mode: (typeof modes)[number], whereUnknown: Level): LevelVersion => {
    const { level, version } = { ...defaults[mode], ...levelOf(mode, whereUnknown) };
    const text = labels[names.version[mode]];
    if (text === undefined) return { level, version };
    const parsed = parseVersion(text);
    if (parsed === undefined) problems.push(problem(names.version[mode], text, versionProblem));
    return { level, version: parsed ?? "latest" };
  };
  const levelOf = (mode: (typeof modes)[number], whereUnknown: Level): { readonly level?: Level } => {
    const text = labels[names.level[mode]];
    if (text === undefined) return {};
    const parsed = parseLevel(text);
    if (parsed === undefined) problems.push(problem(names.level[mode], text, levelProblem));
    return { level: parsed ?? whereUnknown };
  };
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  const enforces = parseLevel(labels[names.level.enforce] ?? "") !== undefined;
  const silent = labels[names.level.warn] === undefined && enforces && compareLevels(enforce.level, warn.level) > 0;
  if (!silent) return { policy: { enforce, audit, warn }, problems };
  const version = labels[names.version.warn] === undefined ? enforce.version : warn.version;
  return { policy: { enforce, audit, warn: { level: enforce.level, version } }, problems };
}

function problem(label: string, value: string, why: string): FieldError {
  return fieldError.invalid(`metadata.labels[${label}]`, value, why);
}
