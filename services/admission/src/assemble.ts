import { askedServices } from "@orch/access/service-objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { dialDirectly } from "@orch/outbound/dial.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import { createServiceAddresses } from "@orch/outbound/service-addresses.js";
import type { Caller, Services } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { Backends } from "./backends.js";
import { createCallMetrics } from "./metrics.js";
import { type Admission, createAdmission } from "./service.js";

/** What differs between a process of its own and one with other services. */
export interface AssemblyDeps {
  readonly naming: Naming;
  /** The watch caches that answer for a group: where Services are reached is asked of them. */
  readonly caches: (group: string) => Caller;
  readonly services: Services;
  /** What is configured of those who are called; nothing where absent. */
  readonly backends?: Backends | undefined;
  /** By which way connections leave; straight where absent. */
  readonly egress?: Egress | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** The service that calls webhooks, with its metrics, on the clock of its process. */
export function assembleAdmission(deps: AssemblyDeps): Admission {
  const { naming, services, clock, metrics, egress } = deps;
  const resolve = createServiceAddresses(askedServices(deps), { random: Math.random, prefer: "endpoints" });
  return createAdmission({
    naming,
    services,
    connections: {
      dial: {
        url: egress?.dial("controlplane") ?? dialDirectly,
        service: egress?.dial("cluster") ?? dialDirectly,
      },
      resolve,
      backends: deps.backends ?? {},
    },
    metrics: createCallMetrics(metrics),
    now: () => clock.monotonic(),
  });
}
