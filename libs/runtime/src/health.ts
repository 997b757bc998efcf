import { messageOf } from "@orch/status/message-of.js";
import type { Clock } from "./clock.js";

/** Health endpoints (rules: Health endpoints). */
export const healthKinds = ["healthz", "livez", "readyz"] as const;
export type HealthKind = (typeof healthKinds)[number];

/** Why the checked thing is unwell, for logs and single checks; nothing where it is well. A throw is a reason too. */
export type Check = () => string | undefined | Promise<string | undefined>;

export interface HealthQuery {
  /** Name of a single check: `/livez/<name>`. */
  readonly check?: string;
  readonly verbose?: boolean;
  readonly exclude?: readonly string[];
}

export interface HealthAnswer {
  readonly code: 200 | 404 | 500;
  /** text/plain; charset=utf-8. */
  readonly body: string;
  /** What failed and why: for the log, never for the body of a whole endpoint. */
  readonly failures: readonly { readonly check: string; readonly reason: string }[];
}

export interface Health {
  /** Adds a check to all three endpoints, or to those not set to false. */
  check(name: string, run: Check, where?: Readonly<Partial<Record<HealthKind, boolean>>>): void;
  /**
   * Adds `poststarthook/<name>`, which fails until the returned function is called. In livez it counts only
   * after the grace period.
   */
  postStartHook(name: string): () => void;
  /** From now on readyz fails by its `shutdown` check. */
  shutDown(): void;
  answer(kind: HealthKind, query?: HealthQuery): Promise<HealthAnswer>;
  /** `/livez`, `/livez/ping`…: every path that answers, sorted. */
  readonly paths: readonly string[];
}

export interface HealthOptions {
  readonly clock: Clock;
  /** Milliseconds from creation in which livez does not ask the post-start hooks (`--livez-grace-period`). */
  readonly livezGracePeriod?: number;
}

interface Entry {
  readonly name: string;
  readonly run: Check;
  readonly where: Readonly<Partial<Record<HealthKind, boolean>>>;
}

interface Outcome {
  readonly name: string;
  readonly excluded: boolean;
  readonly reason: string | undefined;
}

const pageNotFound: HealthAnswer = { code: 404, body: "404 page not found\n", failures: [] };

/** A registry that starts with `ping`; `shutdown` is always the last check of readyz. */
export function createHealth(options: HealthOptions): Health {
  const { clock, livezGracePeriod = 0 } = options;
  const created = clock.monotonic();
  const entries: Entry[] = [{ name: "ping", run: () => undefined, where: {} }];
  let shuttingDown = false;
  const shutdown: Entry = {
    name: "shutdown",
    run: () => (shuttingDown ? "process is shutting down" : undefined),
    where: { healthz: false, livez: false },
  };
  const add = (entry: Entry): void => {
    if (entry.name === shutdown.name || entries.some((e) => e.name === entry.name)) {
      throw new TypeError(`health check ${entry.name} exists already`);
    }
    entries.push(entry);
  };
  const inGrace = (): boolean => clock.monotonic() - created < livezGracePeriod;
  const checksOf = (kind: HealthKind): Entry[] => [...entries, shutdown].filter((e) => e.where[kind] !== false);
  return {
    check: (name, run, where = {}) => add({ name, run, where }),
    postStartHook(name) {
      let done = false;
      const reason = (): string | undefined => (done ? undefined : "not finished");
      const full = `poststarthook/${name}`;
      // Two entries of one name, one for livez alone: the grace period belongs to it only.
      add({ name: full, run: reason, where: { livez: false } });
      entries.push({
        name: full,
        run: () => (inGrace() ? undefined : reason()),
        where: { healthz: false, readyz: false },
      });
      return () => {
        done = true;
      };
    },
    get paths() {
      const below = (kind: HealthKind): string[] => checksOf(kind).map(({ name }) => `/${kind}/${name}`);
      return healthKinds.flatMap((kind) => [`/${kind}`, ...below(kind)]).sort();
    },
    shutDown() {
      shuttingDown = true;
    },
    async answer(kind, query = {}) {
      const checks = checksOf(kind);
      if (query.check !== undefined) {
        const entry = checks.find((e) => e.name === query.check);
        return entry === undefined ? pageNotFound : singleAnswer(await outcomeOf(entry, false));
      }
      const excluded = new Set(query.exclude);
      const outcomes = await Promise.all(checks.map((entry) => outcomeOf(entry, excluded.has(entry.name))));
      for (const { name } of checks) excluded.delete(name);
      return wholeAnswer(kind, outcomes, { verbose: query.verbose === true, unknown: [...excluded].sort() });
    },
  };
}

async function outcomeOf(entry: Entry, excluded: boolean): Promise<Outcome> {
  if (excluded) return { name: entry.name, excluded, reason: undefined };
  try {
    return { name: entry.name, excluded, reason: await entry.run() };
  } catch (error) {
    return { name: entry.name, excluded, reason: messageOf(error) };
  }
}

function singleAnswer({ name, reason }: Outcome): HealthAnswer {
  if (reason === undefined) return { code: 200, body: "ok", failures: [] };
  return { code: 500, body: `internal server error: ${reason}\n`, failures: [{ check: name, reason }] };
}

/** Failure is always told check by check, but reasons stay in the log: the endpoint is public. */
function wholeAnswer(
  kind: HealthKind,
  outcomes: readonly Outcome[],
  how: { readonly verbose: boolean; readonly unknown: readonly string[] },
): HealthAnswer {
  const failures = outcomes.flatMap(({ name, reason }) => (reason === undefined ? [] : [{ check: name, reason }]));
  const well = failures.length === 0;
  if (well && !how.verbose) return { code: 200, body: "ok", failures };
  const lines = outcomes.map(({ name, excluded, reason }) => {
    if (excluded) return `[+]${name} excluded: ok`;
    return reason === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  if (how.unknown.length > 0) {
    const names = how.unknown.map((name) => JSON.stringify(name)).join(", ");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  // The specification has one last line for all three; what it does not say is the reference's.
  lines.push(well ? "healthz check passed" : `${kind} check failed`);
  return { code: well ? 200 : 500, body: `${lines.join("\n")}\n`, failures };
}

/** `/livez/store?verbose&exclude=ping` → kind and query; undefined where the path is no health endpoint. */
export function parseHealthPath(
  path: string,
  parameters: URLSearchParams,
): { readonly kind: HealthKind; readonly query: HealthQuery } | undefined {
  const [, first = "", ...rest] = path.split("/");
  const kind = healthKinds.find((k) => k === first);
  if (kind === undefined) return undefined;
  const check = rest.join("/");
  const query = { verbose: parameters.has("verbose"), exclude: parameters.getAll("exclude") };
  return { kind, query: check === "" ? query : { ...query, check } };
}
