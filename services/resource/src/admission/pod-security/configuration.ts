import { rootTree, type Tree } from "@orch/auth/config/tree.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import { dnsLabel, dnsSubdomain, type Problems } from "@orch/schema/formats/names.js";
import { fieldError } from "@orch/status/field-error.js";
import {
  type LevelVersion,
  levelProblem,
  modes,
  type Policy,
  parseLevel,
  parseVersion,
  privilegedPolicy,
  versionProblem,
} from "./policy.js";

/** What holds for the whole cluster. */
export interface PodSecurityConfiguration {
  /** Of namespaces that do not say. */
  readonly defaults: Policy;
  /** Whose pods are held to nothing. */
  readonly exemptions: {
    readonly users: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

export const usualPodSecurity: PodSecurityConfiguration = {
  defaults: privilegedPolicy,
  exemptions: { users: new Set(), namespaces: new Set(), runtimeClasses: new Set() },
};

const versions = ["v1", "v1beta1", "v1alpha1"];
const defaultFields = ["enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"] as const;

/** Reads the plugin's part of the admission configuration, decoded already; what is absent says what is usual. */
export function parsePodSecurityConfiguration(file: unknown, naming: Naming): Parsed<PodSecurityConfiguration> {
  if (file === undefined || file === null) return { ok: true, value: usualPodSecurity };
  const problems: string[] = [];
  const tell = (problem: string): void => void problems.push(problem);
  const root = rootTree(file, ["apiVersion", "kind", "defaults", "exemptions"], tell);
  const known = versions.map((version) => `${naming.group("pod-security.admission.config")}/${version}`);
  const [apiVersion, kind] = [root.text("apiVersion"), root.text("kind")];
  if (kind !== "PodSecurityConfiguration" || !known.includes(apiVersion)) {
    const problem = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    return { ok: false, problems: [...problems, problem] };
  }
  const defaults = root.object("defaults", defaultFields);
  const exemptions = root.object("exemptions", ["usernames", "namespaces", "runtimeClasses"]);
  const anyName = (name: string): Problems => (name === "" ? ["username must not be empty"] : []);
  const [enforce, audit, warn] = modes.map((mode) => readDefault(defaults, mode, tell));
  const value = {
    defaults: { ...privilegedPolicy, ...(enforce && { enforce }), ...(audit && { audit }), ...(warn && { warn }) },
    exemptions: {
      users: readNames(exemptions, "usernames", anyName),
      namespaces: readNames(exemptions, "namespaces", dnsLabel),
      runtimeClasses: readNames(exemptions, "runtimeClasses", dnsSubdomain),
    },
  };
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

function readDefault(
  defaults: Tree<(typeof defaultFields)[number]>,
  mode: (typeof modes)[number],
  tell: (problem: string) => void,
): LevelVersion {
  const [levelText, versionText] = [defaults.text(mode), defaults.text(`${mode}-version`)];
  const level = parseLevel(levelText === "" ? "privileged" : levelText);
  const version = parseVersion(versionText === "" ? "latest" : versionText);
  if (level === undefined) tell(`${mode}: ${levelProblem}`);
  if (version === undefined) tell(`${mode}-version: ${versionProblem}`);
  return { level: level ?? "restricted", version: version ?? "latest" };
}

function readNames<Name extends string>(
  tree: Tree<Name>,
  list: Name,
  problemsOf: (name: string) => Problems,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [i, name] of tree.texts(list).entries()) {
    const at = `${tree.pathOf(list)}[${i}]`;
    for (const problem of problemsOf(name)) tree.refuse(fieldError.invalid(at, name, problem));
    if (names.has(name)) tree.refuse(fieldError.duplicate(at, name));
    names.add(name);
  }
  return names;
}
