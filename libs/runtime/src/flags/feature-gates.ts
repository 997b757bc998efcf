import { didYouMean } from "@orch/status/nearest.js";
import type { Metrics } from "../metrics.js";
import { newestRelease, releasesSince } from "../release.js";
import { version } from "../version.js";
import { type GateName, type GateStage, gateList } from "./feature-gate-list.js";

/** A feature at the emulated release. */
export interface Gate {
  readonly name: GateName | GroupGate;
  readonly stage: "ALPHA" | "BETA" | "GA" | "DEPRECATED";
  readonly default: boolean;
  /** Non-operational: it can not be set to anything but its default. */
  readonly locked: boolean;
  readonly enabled: boolean;
}

export interface FeatureGates {
  /** Before a feature's first release its gate is off, once the gate of a GA feature is dropped it is on. */
  enabled(name: GateName): boolean;
  /** What `--feature-gates` accepts at the release, by name. */
  all(): readonly Gate[];
  /** One sentence for each gate that was set and should not be any more (rules: Deprecation rules, 8). */
  readonly warnings: readonly string[];
}

/** Values that can not be set at the release; the message is for who wrote `--feature-gates`. */
export class FeatureGateError extends Error {}

/** Switches of every gate of a stage that is not set by its own name. */
const groupGates = { AllAlpha: "ALPHA", AllBeta: "BETA" } as const;
type GroupGate = keyof typeof groupGates;

const isGroupGate = (name: string): name is GroupGate => Object.hasOwn(groupGates, name);
const isGate = (name: string): name is GateName => Object.hasOwn(gateList, name);
const gateNames: readonly GateName[] = Object.keys(gateList).filter(isGate);

/**
 * The gates at a release (`1.32`) with the values of `--feature-gates`.
 * @throws FeatureGateError for an unknown gate, one that the release does not have, or another value than a locked one's
 */
export function createFeatureGates(options: {
  readonly release: string;
  readonly values: ReadonlyMap<string, boolean>;
}): FeatureGates {
  const { release, values } = options;
  const warnings: string[] = [];
  for (const [name, value] of values) {
    if (isGroupGate(name)) continue;
    const stage = settableStage(name, value, release);
    if (stage.stage !== "GA" && stage.stage !== "DEPRECATED") continue;
    const effect = stage.locked ? "it is non-operational and " : "it ";
    const what = stage.stage === "GA" ? "generally available" : "deprecated";
    warnings.push(`feature gate ${name}=${value} is set, but is ${what}: ${effect}will be removed in a later release`);
  }
  const byGroup = (stage: GateStage): boolean | undefined => {
    if (stage.stage === "ALPHA") return values.get("AllAlpha");
    return stage.stage === "BETA" ? values.get("AllBeta") : undefined;
  };
  const gates = new Map<string, Gate>();
  for (const name of gateNames) {
    const at = stageAt(name, release);
    if (at === undefined || at.stage === "REMOVED") continue;
    const enabled = values.get(name) ?? byGroup(at) ?? at.default;
    gates.set(name, { name, stage: at.stage, default: at.default, locked: at.locked, enabled });
  }
  for (const [name, stage] of Object.entries(groupGates)) {
    if (!isGroupGate(name)) continue;
    gates.set(name, { name, stage, default: false, locked: false, enabled: values.get(name) ?? false });
  }
  const sorted = [...gates.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    enabled: (name) => gates.get(name)?.enabled ?? enabledWithoutGate(name, release),
    all: () => sorted,
    warnings,
  };
}

/** The stage of a gate that may be given this value. */
function settableStage(name: string, value: boolean, release: string): GateStage {
  if (!isGate(name)) {
    const known = [...gateNames, ...Object.keys(groupGates)];
    throw new FeatureGateError(`unknown feature gate: ${name}${didYouMean(name, known)}`);
  }
  const stage = stageAt(name, release);
  if (stage === undefined) {
    const [first] = gateList[name];
    throw new FeatureGateError(
      `cannot set feature gate ${name} to ${value}: release ${release} does not have it, it comes with ${first.since}`,
    );
  }
  if (stage.stage === "REMOVED") {
    throw new FeatureGateError(`unknown feature gate: ${name} was removed in release ${stage.since}`);
  }
  if (stage.locked && value !== stage.default) {
    throw new FeatureGateError(
      `cannot set feature gate ${name} to ${value}: it is locked to ${stage.default} since release ${stage.since}`,
    );
  }
  return stage;
}

function stageAt(name: GateName, release: string): GateStage | undefined {
  const stages: readonly GateStage[] = gateList[name];
  return stages.findLast((stage) => releasesSince(stage.since, release) >= 0);
}

/** What begins its life deprecated was always there before; anything else begins with its first stage. */
function enabledWithoutGate(name: GateName, release: string): boolean {
  const stage = stageAt(name, release);
  return stage === undefined ? gateList[name][0].stage === "DEPRECATED" : stage.default;
}

/** One line a gate: `APIResponseCompression=true|false (BETA - default=true)`, for the help of the newest release. */
export function gatesHelp(wanted: (name: Gate["name"]) => boolean = () => true): string {
  const { all } = createFeatureGates({ release: newestRelease, values: new Map() });
  return all()
    .filter(({ name }) => wanted(name))
    .map(({ name, stage, default: def, locked }) => {
      const settable = locked ? `${def}` : "true|false";
      return `${name}=${settable} (${stage} - default=${def}${locked ? ", non-operational" : ""})`;
    })
    .join("\n");
}

/** `kubernetes_feature_enabled{name,stage}`; `product` is the dialect's word for the product. */
export function registerFeatureMetrics(metrics: Metrics, gates: FeatureGates, product: string): void {
  const enabled = metrics.gauge({
    name: `${product}_feature_enabled`,
    help: "Whether a feature is enabled, by its name and stage; the stage of a generally available one is empty.",
    stability: "BETA",
    labels: ["name", "stage"],
    join: "ever",
  });
  registerBuild(metrics, product);
  for (const gate of gates.all()) {
    enabled.with({ name: gate.name, stage: gate.stage === "GA" ? "" : gate.stage }).set(gate.enabled ? 1 : 0);
  }
}

/** Which build runs, as alerts look for it that compare the parts of a cluster. */
function registerBuild(metrics: Metrics, product: string): void {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = version;
  metrics
    .gauge({
      name: `${product}_build_info`,
      help: "Always 1; the labels tell the build.",
      stability: "ALPHA",
      labels: [
        ...["major", "minor", "git_version", "git_commit", "git_tree_state"],
        ...["build_date", "go_version", "compiler", "platform"],
      ],
      join: "ever",
    })
    .with({
      ...{ major, minor, compiler, platform, git_version: gitVersion, git_commit: gitCommit },
      ...{ git_tree_state: gitTreeState, build_date: buildDate, go_version: goVersion },
    })
    .set(1);
}
