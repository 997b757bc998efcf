import { compareVersions, parseVersion, type Version } from "./versions.js";

/** Versions between which an upgrade is judged. */
export interface Versions {
  readonly target: string;
  /** Of the cluster by its stored configuration. */
  readonly cluster: string;
  /** Of this program. */
  readonly own: string;
  /** Of the agents of nodes, as they tell it. */
  readonly agents: readonly string[];
  readonly program: string;
}

export interface Allowed {
  /** Alphas and betas. */
  readonly experimental: boolean;
  readonly candidates: boolean;
}

export interface PolicyProblems {
  /** No flag helps. */
  readonly fatal: readonly string[];
  /** `--force` passes over them. */
  readonly doubtful: readonly string[];
}

const mostMinorsUp = 1;
const mostMinorsOfAgents = 3;

/** What speaks against an upgrade. @throws Error for versions that are none */
export function policyProblems(versions: Versions, allowed: Allowed): PolicyProblems {
  const read = (text: string): Version => {
    const version = parseVersion(text);
    if (version === undefined) throw new Error(`couldn't parse version ${JSON.stringify(text.slice(0, 100))}`);
    return version;
  };
  const { target: wanted, program } = versions;
  const [target, cluster, own] = [read(wanted), read(versions.cluster), read(versions.own)];
  const fatal: string[] = [];
  const doubtful: string[] = [];
  if (target.major !== own.major || target.minor > own.minor) {
    fatal.push(
      `Specified version to upgrade to ${quote(wanted)} is at least one minor release higher than the ${program} minor release (${target.minor} > ${own.minor}). Such an upgrade is not supported`,
    );
  } else if (compareVersions(target, own) > 0) {
    doubtful.push(
      `Specified version to upgrade to ${quote(wanted)} is higher than the ${program} version ${quote(versions.own)}. Upgrade ${program} first using the tool you used to install ${program}`,
    );
  }
  if (target.minor > cluster.minor + mostMinorsUp) {
    fatal.push(
      `Specified version to upgrade to ${quote(wanted)} is too high; ${program} can upgrade only ${mostMinorsUp} minor version at a time`,
    );
  }
  if (compareVersions(target, cluster) < 0) {
    const text = `Specified version to upgrade to ${quote(wanted)} is lower than the version of the cluster ${quote(versions.cluster)}`;
    if (target.minor < cluster.minor) fatal.push(`${text}; what newer servers have stored older ones may not read`);
    else doubtful.push(text);
  }
  doubtful.push(...problemsOfAgents(target, versions.agents), ...problemsOfStability(target, wanted, allowed));
  return { fatal, doubtful };
}

function problemsOfAgents(target: Version, agents: readonly string[]): readonly string[] {
  const old = agents.filter((text) => {
    const agent = parseVersion(text);
    return agent !== undefined && agent.minor < target.minor - mostMinorsOfAgents;
  });
  return old.length === 0 ? [] : [`There are agents in this cluster that are too old: ${[...new Set(old)].join(", ")}`];
}

function problemsOfStability(target: Version, wanted: string, allowed: Allowed): readonly string[] {
  if (target.before === "") return [];
  const isCandidate = target.before.startsWith("rc");
  if (isCandidate ? allowed.candidates || allowed.experimental : allowed.experimental) return [];
  const flag = isCandidate ? "--allow-release-candidate-upgrades" : "--allow-experimental-upgrades";
  return [
    `Specified version to upgrade to ${quote(wanted)} is an unstable version and such upgrades weren't allowed via ${flag}`,
  ];
}

const quote = (text: string): string => JSON.stringify(text);

/** @throws Error with all that speaks against it, unless `isForced` passes over the rest; gives what it passed over */
export function enforcePolicy({ fatal, doubtful }: PolicyProblems, isForced: boolean): readonly string[] {
  const listed = (problems: readonly string[]): string => problems.map((text) => `\t- ${text}\n`).join("");
  if (fatal.length > 0) {
    throw new Error(
      `[upgrade/version] FATAL: the version argument is invalid due to these fatal errors:\n\n${listed([...fatal, ...doubtful])}\nPlease fix the misalignments highlighted above and try upgrading again`,
    );
  }
  if (doubtful.length === 0 || isForced) return doubtful;
  throw new Error(
    `[upgrade/version] FATAL: the version argument is invalid due to these errors:\n\n${listed(doubtful)}\nCan be bypassed if you pass the --force flag`,
  );
}
