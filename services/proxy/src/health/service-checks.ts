import type { HealthCheck } from "../model/cluster.js";
import { type Page, type PageServer, servePages } from "./page-server.js";

export interface ServiceChecksOptions {
  readonly isHealthy: () => boolean;
  readonly onError: (error: unknown, check: HealthCheck) => void;
}

/** A port for each service that says whether the service is on this node. */
export interface ServiceChecks {
  /** From now on these are served, and no others. */
  serve(checks: readonly HealthCheck[]): Promise<void>;
  stop(): Promise<void>;
}

interface Served {
  check: HealthCheck;
  /** Undefined: its port could not be had; it is tried again with the next change. */
  server: PageServer | undefined;
}

export function createServiceChecks({ isHealthy, onError }: ServiceChecksOptions): ServiceChecks {
  /** By service. */
  const served = new Map<string, Served>();
  const open = async (each: Served): Promise<void> => {
    const at = { host: undefined, port: each.check.nodePort };
    each.server = await servePages(at, () => checkPage(each.check, isHealthy())).catch((error: unknown) => {
      onError(error, each.check);
      return undefined;
    });
  };
  return {
    async serve(checks) {
      const wanted = new Map(checks.map((check) => [check.service, check]));
      for (const [service, { check, server }] of [...served]) {
        if (wanted.get(service)?.nodePort === check.nodePort) continue;
        served.delete(service);
        await server?.stop();
      }
      for (const [service, check] of wanted) {
        const known = served.get(service) ?? { check, server: undefined };
        known.check = check;
        served.set(service, known);
        if (known.server === undefined) await open(known);
      }
    },
    async stop() {
      await Promise.all([...served.values()].map(({ server }) => server?.stop()));
      served.clear();
    },
  };
}

export function checkPage({ service, localEndpoints }: HealthCheck, isHealthy: boolean): Page {
  const slash = service.indexOf("/");
  const [namespace, name] = [service.slice(0, slash), service.slice(slash + 1)];
  return {
    code: localEndpoints > 0 && isHealthy ? 200 : 503,
    type: "application/json",
    headers: { "X-Load-Balancing-Endpoint-Weight": String(localEndpoints) },
    body: JSON.stringify({ service: { namespace, name }, localEndpoints, serviceProxyHealthy: isHealthy }),
  };
}
