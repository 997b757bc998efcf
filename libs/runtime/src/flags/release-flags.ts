import { minorOf, newestRelease, oldestRelease, releaseBefore, releasesSince } from "../release.js";
import { isActing } from "./feature-gate-list.js";
import { createFeatureGates, FeatureGateError, type FeatureGates, gatesHelp } from "./feature-gates.js";
import { type Flag, type FlagValue, listFlag, stringFlag, switchesFlag } from "./flag-types.js";
import type { FlagValues } from "./flags.js";

/** `1.31`, or with the name of the component before it as the reference takes it: `kube=1.31`. */
const releaseFlag: Flag<string> = {
  type: "release",
  default: newestRelease,
  shownDefault: newestRelease,
  group: "Release",
  help: `release from ${oldestRelease} to ${newestRelease} whose kinds, features and defaults are served; the same in every service of a cluster`,
  read(text) {
    const release = text.replace(/^(?:kube|orch)=/, "");
    const known =
      minorOf(release) !== undefined &&
      releasesSince(oldestRelease, release) >= 0 &&
      releasesSince(release, newestRelease) >= 0;
    if (known) return { ok: true, value: release };
    return { ok: false, problem: `must be a release from ${oldestRelease} to ${newestRelease}` };
  },
  show: (release) => release,
};

/** Flags of every process that serves: which release it is, and what of it is on. */
export const releaseFlags = {
  "emulated-version": releaseFlag,
  "feature-gates": switchesFlag({
    group: "Release",
    // Lines that begin with a space are printed as they are: a gate does not break in two.
    help: `features on or off, comma separated; flags add up; these act here, --help=gates lists all that are known\n${gatesHelp(isActing).replace(/^/gm, "    ")}`,
    topic: { name: "gates", text: () => gatesHelp() },
  }),
  "show-hidden-metrics-for-version": stringFlag("", {
    group: "Metrics",
    word: "release",
    help: "the release before this one: metrics that were hidden since are shown for the last time",
  }),
  "disabled-metrics": listFlag([], { group: "Metrics", help: "full names of metrics that are not to be kept" }),
} as const;

/** What {@link releaseFlags} say. */
export interface ReleaseSettings {
  /** `1.32`: the release that is served. */
  readonly release: string;
  readonly gates: FeatureGates;
  /** The release before, where metrics hidden since are wanted. */
  readonly showHiddenMetricsFor: string | undefined;
  readonly disabledMetrics: readonly string[];
}

/** The flags can be judged only together: gates and hidden metrics are those of the emulated release. */
export function releaseSettings(values: FlagValues<typeof releaseFlags>): FlagValue<ReleaseSettings> {
  const release = values["emulated-version"];
  const shown = values["show-hidden-metrics-for-version"];
  const before = releaseBefore(release);
  if (shown !== "" && shown !== before) {
    const problem = `--show-hidden-metrics-for-version must be ${before} or left out: only the release before ${release} is allowed`;
    return { ok: false, problem };
  }
  try {
    const gates = createFeatureGates({ release, values: values["feature-gates"] });
    const showHiddenMetricsFor = shown === "" ? undefined : shown;
    return { ok: true, value: { release, gates, showHiddenMetricsFor, disabledMetrics: values["disabled-metrics"] } };
  } catch (error) {
    if (!(error instanceof FeatureGateError)) throw error;
    return { ok: false, problem: `--feature-gates: ${error.message}` };
  }
}
