import { rootTree, type Tree } from "@orch/auth/config/tree.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { formatMs } from "@orch/schema/formats/duration.js";

/** How the backend is asked that decides which images may run. */
export interface ImagePolicyConfiguration {
  /** Path of the client configuration file of the backend. */
  readonly kubeConfigFile: string;
  /** How long an answer is remembered that allows, and one that does not; 0: not at all. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  /** Before the first of several tries more; 0: at once. */
  readonly retryBackoffMs: number;
  /** What is decided where the backend does not answer. */
  readonly defaultAllow: boolean;
}

const fields = ["kubeConfigFile", "allowTTL", "denyTTL", "retryBackoff", "defaultAllow"] as const;

/** A whole number of the file: in which unit, and where the value may lie, in milliseconds. */
interface Time {
  readonly unitMs: number;
  readonly least: { readonly ms: number; readonly text: string };
  readonly most: { readonly ms: number; readonly text: string };
  readonly usualMs: number;
}

const minuteMs = 60_000;
const ttl = { unitMs: 1000, least: { ms: 1000, text: "1s" }, most: { ms: 30 * minuteMs, text: "30m0s" } };
const times = {
  allowTTL: { ...ttl, usualMs: 5 * minuteMs },
  denyTTL: { ...ttl, usualMs: 30_000 },
  retryBackoff: {
    ...{ unitMs: 1, usualMs: 500 },
    ...{ least: { ms: 1e-6, text: "1ns" }, most: { ms: 5 * minuteMs, text: "5m0s" } },
  },
} satisfies Record<string, Time>;

/** Reads the plugin's part of the admission configuration, decoded already; it has no kind. */
export function parseImagePolicyConfiguration(file: unknown): Parsed<ImagePolicyConfiguration> {
  if (file === undefined || file === null) return { ok: false, problems: ["no config specified"] };
  const problems: string[] = [];
  const root = rootTree(file, ["imagePolicy"], (problem) => void problems.push(problem));
  const policy = root.object("imagePolicy", fields);
  const read = (name: keyof typeof times): number => readTime(policy, name, (problem) => void problems.push(problem));
  const kubeConfigFile = policy.text("kubeConfigFile");
  if (kubeConfigFile === "") problems.push("imagePolicy.kubeConfigFile: Required value");
  const value = {
    kubeConfigFile,
    ...{ allowTtlMs: read("allowTTL"), denyTtlMs: read("denyTTL"), retryBackoffMs: read("retryBackoff") },
    defaultAllow: policy.flag("defaultAllow"),
  };
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

/** Nothing is the usual time, -1 none at all. */
function readTime(
  tree: Tree<(typeof fields)[number]>,
  name: keyof typeof times,
  tell: (problem: string) => void,
): number {
  const { unitMs, least, most, usualMs }: Time = times[name];
  const given = tree.integer(name) ?? 0;
  if (given === 0) return usualMs;
  if (given === -1) return 0;
  const ms = given * unitMs;
  if (ms < least.ms || ms > most.ms) {
    tell(`imagePolicy.${name}: valid value is between ${least.text} and ${most.text}, got ${formatMs(ms)}`);
  }
  return ms;
}
