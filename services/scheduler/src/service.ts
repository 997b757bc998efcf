import { setMaxListeners } from "node:events";
import { type Election, leadOnce } from "@orch/client/leader-election.js";
import type { SchedulerConfiguration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { OpsPage, Service } from "@orch/runtime/service.js";
import { createScheduler, type SchedulerDeps } from "./scheduler.js";

export interface SchedulerSettings {
  readonly config: SchedulerConfiguration;
  /** Undefined where this is the only one. */
  readonly election: Election | undefined;
  /** Told when this one begins and ceases to lead; nobody where it is the only one. */
  readonly leading?: (leads: boolean) => void;
}

/** Of a scheduler inside of another service. */
export interface OwnSettings extends SchedulerSettings {
  readonly plugins: SchedulerDeps["plugins"];
  readonly hasDevices: boolean;
}

export interface SchedulerService extends Service {
  /** What it tells beside its metrics. */
  readonly pages: readonly OpsPage[];
}

/** A scheduler that runs here, or stands by while another process holds the lease. @throws ProfileError as {@link createScheduler} */
export function createSchedulerService(settings: SchedulerSettings, deps: SchedulerDeps): SchedulerService {
  const { config, election, leading = () => {} } = settings;
  const scheduler = createScheduler(config, deps);
  const abort = new AbortController();
  const { signal } = abort;
  // Every request that is under way listens to it.
  setMaxListeners(0, signal);
  let running: Promise<unknown> = Promise.resolve();

  const lead = async (term: AbortSignal): Promise<void> => {
    setMaxListeners(0, term);
    const watching = config.delayCacheUntilActive ? scheduler.watch(term) : undefined;
    await scheduler.schedule(term);
    await watching;
  };
  const schedule = (): Promise<void> => (election === undefined ? lead(signal) : stand(election));

  async function stand({ namespace, ...candidate }: Election): Promise<void> {
    const { client, clock, random, log, naming } = deps;
    const leases = { group: naming.group("coordination"), version: "v1", resource: "leases", namespace };
    const onError = (err: unknown): void => log.debug({ err }, "the lease could not be taken or renewed");
    const onLeader = (leader: string): void => log.info({ leader }, "who leads has changed");
    const told = (term: AbortSignal): Promise<void> => {
      leading(true);
      return lead(term).finally(() => leading(false));
    };
    leading(false);
    while (!signal.aborted) {
      const end = await leadOnce({ ...candidate, client, leases, clock, random, onLeader, onError }, told, signal);
      if (end === "lost") log.error({}, "the lease was lost: the scheduler stands by");
    }
  }

  return {
    pages: scheduler.pages,
    async start() {
      const watching = config.delayCacheUntilActive ? undefined : scheduler.watch(signal);
      running = Promise.all([watching, schedule()]);
    },
    async stop() {
      abort.abort(new Error("the scheduler stops"));
      await running;
      await scheduler.close();
    },
  };
}
