import { setMaxListeners } from "node:events";
import { createDiscovery } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http/http.js";
import { type Election, leadOnce } from "@orch/client/leader-election.js";
import { createMirror, type Mirror } from "@orch/client/mirror.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Service } from "@orch/runtime/service.js";
import type { Controller, ControllerName, Made } from "./controller.js";
import type { Telemetry } from "./metrics.js";
import { createInformers } from "./rim/informers.js";
import type { ControllerTools } from "./tools.js";

/** How each controller of a program is made. */
export type Makers<N extends ControllerName> = Readonly<Record<N, (tools: ControllerTools) => Made>>;

/** Controllers that run while one lease is held. */
export interface Term<N extends ControllerName> {
  readonly controllers: ReadonlySet<N>;
  /** Undefined where this process is the only one. */
  readonly election: Election | undefined;
}

export interface ManagerConfig<N extends ControllerName> {
  readonly make: Makers<N>;
  /** Each lease is stood for by itself. */
  readonly terms: readonly Term<N>[];
}

export interface ManagerDeps {
  /** With a stream for each watched kind: a multiplexed one. Whoever made it closes it. */
  readonly client: Client;
  /** Of a controller that acts as somebody of its own, of the same sort; `client` for all of them where absent. */
  readonly clientFor?: (controller: ControllerName) => Client;
  /** What the process follows, where others share it; one of the controllers' own, read by `client`, where absent. */
  readonly mirror?: Mirror;
  readonly naming: Naming;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

export interface Manager extends Service {
  /** The controllers that run here. */
  readonly leads: ReadonlySet<ControllerName>;
}

/**
 * Runs control loops over the HTTP API, here or in the one process that holds their lease. It starts at once, with or
 * without a server to speak to; `stop` settles when nothing runs any more and every lease is given back.
 */
export function createManager<N extends ControllerName>({ make, terms }: ManagerConfig<N>, deps: ManagerDeps): Manager {
  const abort = new AbortController();
  const leads = new Set<N>();
  const mirror = deps.mirror ?? createMirror(deps);
  let running: readonly Promise<void>[] = [];

  const runTerm = async ({ controllers, election }: Term<N>): Promise<void> => {
    const run = async (signal: AbortSignal): Promise<void> => {
      for (const name of controllers) leads.add(name);
      // Every request that is under way listens to it.
      setMaxListeners(0, signal);
      deps.log.debug({ controllers: [...controllers] }, "controllers run");
      await Promise.all(controllersOf(controllers, make, { ...deps, mirror }).map((each) => each.run(signal)));
      for (const name of controllers) leads.delete(name);
    };
    if (election === undefined) await run(abort.signal);
    else await createElection(election, deps).run(run, abort.signal);
  };

  return {
    async start() {
      running = terms.filter(({ controllers }) => controllers.size > 0).map(runTerm);
    },
    async stop() {
      abort.abort(new Error("the controllers stop"));
      await Promise.all(running);
    },
    leads,
  };
}

function controllersOf<N extends ControllerName>(
  names: ReadonlySet<N>,
  make: Makers<N>,
  deps: ManagerDeps & { readonly mirror: Mirror },
): readonly Controller[] {
  const { clientFor = () => deps.client, log, mirror } = deps;
  const shared = createDiscovery(deps.client, deps.naming);
  const informers = createInformers({ mirror, naming: deps.naming });
  const toolsOf = (name: ControllerName): ControllerTools => {
    const own = clientFor(name);
    // What is there the process reads, whose right that is; what a controller changes it changes by its own right.
    const client = own === deps.client ? own : { ...own, list: deps.client.list, stream: deps.client.stream };
    return { ...deps, client, discovery: shared, informers };
  };
  return [...names].flatMap((name) => {
    const made = make[name](toolsOf(name));
    if ("run" in made) return made;
    log.info({ controller: name }, `a controller does not run: ${made.lacks}`);
    return [];
  });
}

interface Candidate {
  /** Leads again and again, whenever the lease can be had, until the signal aborts. */
  run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

function createElection(config: Election, deps: ManagerDeps): Candidate {
  const { client, naming, clock, random, log, telemetry } = deps;
  const { identity, namespace, name } = config;
  const leases = { group: naming.group("coordination"), version: "v1", resource: "leases", namespace };
  return {
    async run(lead, signal) {
      telemetry.leading(name, false);
      const onLeader = (leader: string): void =>
        log.info({ leader, identity, lease: `${namespace}/${name}` }, "who leads has changed");
      const onError = (err: unknown): void => log.debug({ err }, "the lease could not be taken or renewed");
      const leadTold = async (term: AbortSignal): Promise<void> => {
        telemetry.leading(name, true);
        try {
          await lead(term);
        } finally {
          telemetry.leading(name, false);
        }
      };
      while (!signal.aborted) {
        const end = await leadOnce({ ...config, client, leases, clock, random, onLeader, onError }, leadTold, signal);
        if (end === "lost") log.error({ identity }, "the lease was lost: the controllers have stopped");
      }
    },
  };
}
