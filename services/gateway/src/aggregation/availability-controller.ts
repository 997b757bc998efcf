import { connectionProblem } from "@orch/outbound/failure.js";
import type { ResolveService } from "@orch/outbound/service-addresses.js";
import type { Clock } from "@orch/runtime/clock.js";
import { type ApiService, type Condition, pathOf, type Remote } from "./api-service.js";
import type { ApiServiceChange, ApiServices } from "./api-services.js";
import { afterAsking, newCondition, objection, type Verdict } from "./availability.js";
import type { AvailabilityMetrics } from "./metrics.js";
import { askAsAggregator, type OwnRequests } from "./own-requests.js";
import type { ServiceView, ServiceViews } from "./service-views.js";
import type { ApiServiceWriter } from "./write.js";

export interface AvailabilityDeps {
  readonly services: ApiServices;
  readonly views: ServiceViews;
  readonly resolve: ResolveService;
  readonly requests: OwnRequests;
  readonly write: ApiServiceWriter;
  readonly clock: Clock;
  readonly metrics: AvailabilityMetrics;
  /** How long a server may take to answer; 5 s where absent. */
  readonly askMs?: number;
  /** Told of a write that failed, which is tried again. */
  readonly failed: (what: string, error: unknown) => void;
}

/** How often a server that is well is asked again. */
const againMs = 30_000;
const firstRetryMs = 100;
/** How soon another word than ours is looked into: gateways that see it otherwise must not write without end. */
const otherWordMs = 1_000;
/** Questions at once, of which one has to be answered: some of a Service's endpoints may be away. */
const attempts = 5;
const askMs = 5_000;

/** One APIService under watch. */
interface Watched {
  readonly remote: Remote;
  /** What its status says now. */
  heard(said: Condition | undefined): void;
  stop(): void;
}

/**
 * Says in the status of each APIService with a server elsewhere whether that server can be asked. Looks again when anything
 * changes that it goes by, and by the clock.
 */
export function createAvailabilityController(deps: AvailabilityDeps): { start(): void; stop(): void } {
  const watched = new Map<string, Watched>();
  let stopped = false;

  const follow = ({ before, after }: ApiServiceChange): void => {
    if (stopped) return;
    const name = (after ?? before)?.name ?? "";
    const known = watched.get(name);
    if (known !== undefined && known.remote === after?.remote) {
      known.heard(after?.available);
      return;
    }
    known?.stop();
    watched.delete(name);
    if (after?.remote !== undefined) watched.set(name, watch(deps, after.remote));
    else if (after !== undefined && after.available?.reason !== "Local") void sayLocal(deps, after);
    deps.metrics.changed(after, name);
  };

  return {
    start() {
      deps.services.onChange(follow);
      for (const after of deps.services.byName.values()) follow({ before: undefined, after });
    },
    stop() {
      stopped = true;
      for (const one of watched.values()) one.stop();
      watched.clear();
    },
  };
}

function watch(deps: AvailabilityDeps, remote: Remote): Watched {
  const { clock, views } = deps;
  const abort = new AbortController();
  let cancel: (() => void) | undefined;
  let busy = false;
  let again = false;
  let failures = 0;
  let due = Number.POSITIVE_INFINITY;
  let verdict: Verdict | undefined;

  const plan = (ms: number): void => {
    cancel?.();
    due = clock.monotonic() + ms;
    cancel = clock.after(ms, () => void run());
  };
  const run = async (): Promise<void> => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    again = false;
    let well = true;
    try {
      verdict = await round(deps, remote, { view: held.view, signal: abort.signal });
      well = verdict === undefined || verdict.status === "True";
    } catch (error) {
      well = false;
      if (!abort.signal.aborted) deps.failed(`the status of APIService ${remote.name} cannot be written`, error);
    }
    busy = false;
    if (abort.signal.aborted) return;
    failures = well ? 0 : failures + 1;
    plan(again ? 0 : well ? againMs : Math.min(againMs, firstRetryMs * 2 ** Math.min(failures, 16)));
  };
  const look = (): void => {
    again = busy;
    if (!busy) plan(0);
  };
  const held = views.hold(remote.service, look);
  look();
  return {
    remote,
    heard(said) {
      const isOurs = verdict === undefined || newCondition(verdict, said, "") === undefined;
      if (!isOurs && !busy && due > clock.monotonic() + otherWordMs) plan(otherWordMs);
    },
    stop() {
      abort.abort();
      cancel?.();
      held.release();
    },
  };
}

interface At {
  readonly view: () => ServiceView;
  readonly signal: AbortSignal;
}

/** Looks once and says what it sees; undefined where there is nothing to say yet. */
async function round(deps: AvailabilityDeps, remote: Remote, { view, signal }: At): Promise<Verdict | undefined> {
  const now = view();
  if (!now.loaded) return undefined;
  const verdict = objection(remote.service, now) ?? afterAsking(await problemOf(deps, remote, signal));
  signal.throwIfAborted();
  const service = deps.services.byName.get(remote.name);
  if (service === undefined || service.remote !== remote) return undefined;
  await say(deps, service, verdict);
  return verdict;
}

/** One that has lost its server: the create of a local one says so itself. */
async function sayLocal(deps: AvailabilityDeps, service: ApiService): Promise<void> {
  const message = "Local APIServices are always available";
  await say(deps, service, { status: "True", reason: "Local", message }).catch((error: unknown) =>
    deps.failed(`the status of APIService ${service.name} cannot be written`, error),
  );
}

async function say({ clock, write, metrics }: AvailabilityDeps, service: ApiService, verdict: Verdict): Promise<void> {
  const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const condition = newCondition(verdict, service.available, time);
  metrics.found(service, verdict);
  if (condition !== undefined) await write.condition(service, condition);
}

/** What is wrong with the server, as the last of the attempts has it; undefined as soon as one is answered well. */
async function problemOf(deps: AvailabilityDeps, remote: Remote, signal: AbortSignal): Promise<string | undefined> {
  const done = new AbortController();
  const all = AbortSignal.any([signal, done.signal]);
  let last = "";
  const one = async (): Promise<void> => {
    const problem = await attempt(deps, remote, all);
    if (problem === undefined) return;
    last = problem;
    throw new Error(problem);
  };
  try {
    await Promise.any(Array.from({ length: attempts }, one));
    return undefined;
  } catch {
    return last;
  } finally {
    done.abort();
  }
}

/** Its group-version's document is what a server must have. A redirect is no answer. */
async function attempt(deps: AvailabilityDeps, remote: Remote, signal: AbortSignal): Promise<string | undefined> {
  let url = "";
  try {
    const at = await deps.resolve(remote.service);
    const host = at.host.includes(":") ? `[${at.host}]` : at.host;
    url = `https://${host}:${at.port}${pathOf(remote)}`;
    const { code } = await askAsAggregator(deps.requests, remote, {
      ...{ at, path: pathOf(remote), anyone: true, signal, timeoutMs: deps.askMs ?? askMs, maxBytes: 0 },
    });
    if (code >= 200 && code <= 299) return undefined;
    return `failing or missing response from ${url}: bad status from ${url}: ${code}`;
  } catch (error) {
    const why = connectionProblem(error);
    return url === "" ? why : `failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${why}`;
  }
}
