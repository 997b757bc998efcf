import type { ServiceTls } from "./flags/rpc-flags.js";
import { createOpsServer, type OpsServerValues } from "./ops-server.js";
import type { ProcessTools } from "./program.js";
import type { OpsPage, ProfilingPages } from "./service.js";
import { serviceManager } from "./service-manager.js";
import { runProcess } from "./shutdown.js";
import { untilReady } from "./until-ready.js";

/** Ports by what is served there: `{rpc: 4711}`. */
export type Ports = Readonly<Record<string, number>>;

export interface ServiceProcess {
  readonly tools: Pick<ProcessTools, "log" | "clock" | "health">;
  readonly values: { readonly "bind-address": string; readonly "shutdown-delay-duration": number };
  /** Called as readiness falls. */
  readonly shuttingDown?: () => void;
  /** Resolves when the service answers. */
  readonly start: () => Promise<Ports>;
  /** Resolves when nothing of it is left. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs a service until the process is told to stop. Once it serves, one line on standard output says where, for
 * whoever started it: `rpc=127.0.0.1:4711 metrics=127.0.0.1:4712`.
 */
export async function runService({ tools, values, shuttingDown, start, stop }: ServiceProcess): Promise<void> {
  const { log, clock, health } = tools;
  const manager = serviceManager(log);
  const stopped = new AbortController();
  const tellReady = async (): Promise<void> => {
    await untilReady(health, { clock, signal: stopped.signal });
    if (!stopped.signal.aborted) manager.ready();
  };
  await runProcess({
    log,
    clock,
    delay: values["shutdown-delay-duration"],
    hasTerminal: process.stdin.isTTY,
    started: () => void tellReady(),
    shuttingDown() {
      manager.stopping();
      stopped.abort();
      health.shutDown();
      shuttingDown?.();
    },
    service: {
      async start() {
        const ports = await start();
        log.info({ ports }, "serving");
        const addresses = Object.entries(ports).map(([name, port]) => `${name}=${values["bind-address"]}:${port}`);
        process.stdout.write(`${addresses.join(" ")}\n`);
      },
      stop,
    },
  });
}

export interface InternalServiceProcess extends ServiceProcess {
  readonly tools: Pick<ProcessTools, "log" | "clock" | "health" | "metrics">;
  readonly values: ServiceProcess["values"] & OpsServerValues;
  readonly tls: ServiceTls | undefined;
  /** Beside health and metrics. */
  readonly pages?: readonly OpsPage[];
  /** Beside them, for those who may read metrics. */
  readonly profiling?: ProfilingPages | undefined;
}

/**
 * Runs a service that clients do not reach, with a port for its health and metrics: that one opens first and closes
 * last, so that probes are answered while the service starts and while it stops.
 */
export function runInternalService(parts: InternalServiceProcess): Promise<void> {
  const { tools, values, tls, pages = [], profiling } = parts;
  const ops = createOpsServer(values, { ...tools, tls, pages, profiling });
  return runService({
    ...parts,
    async start() {
      await ops.start();
      return { ...(await parts.start()), metrics: ops.port };
    },
    async stop() {
      await parts.stop();
      await ops.stop();
    },
  });
}
