import { readFileSync } from "node:fs";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import type { createInProcess } from "@orch/rpc/in-process.js";
import type { Caller, Services } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { internalError } from "@orch/status/api-error.js";

export interface LocalWebhooks extends Pick<Caller, "call"> {
  stop(): Promise<void>;
}

export interface LocalWebhooksDeps {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly egress?: Egress | undefined;
  /** Of `--admission-control-config-file`. */
  readonly admissionControlFile: string;
}

/** The service that calls webhooks, in this process. It is loaded with the first call: HTTP clients take long to load. */
export function createLocalWebhooks(
  { services, caller }: ReturnType<typeof createInProcess>,
  deps: LocalWebhooksDeps,
): LocalWebhooks {
  const load = async () => {
    const [{ assembleAdmission }, { readBackends }] = await Promise.all([
      import("@orch/service-admission/assemble.js"),
      import("@orch/service-admission/backends.js"),
    ]);
    const backends = await readBackends(deps.admissionControlFile, {
      naming: deps.naming,
      read: (path) => readFileSync(path, "utf8"),
    });
    if (!backends.ok) throw internalError(backends.problems.join("; "));
    return assembleAdmission({ ...deps, backends: backends.value, services, caches: () => caller });
  };
  let loaded: ReturnType<typeof load> | undefined;
  return {
    async call(method, request, options) {
      loaded ??= load();
      await loaded;
      return caller.call(method, request, options);
    },
    async stop() {
      await (await loaded)?.stop();
    },
  };
}

/** Services that are registered with each of several transports. */
export function registeredWith(...transports: readonly Services[]): Services {
  return {
    unary(method, handler) {
      for (const transport of transports) transport.unary(method, handler);
    },
    stream(method, handler) {
      for (const transport of transports) transport.stream(method, handler);
    },
  };
}
