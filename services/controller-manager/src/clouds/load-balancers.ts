import type { SeenNode } from "../seen/node.js";
import type { SeenService } from "../seen/service.js";

/** What a balancer reaches a service by. */
export interface BalancerStatus {
  readonly ingress: readonly BalancerIngress[];
}

export interface BalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  /** `VIP` or `Proxy`. */
  readonly ipMode?: string;
}

/**
 * The balancers of a cloud: one of each service, known by the service's uid. Everything may be asked again, and is then as
 * if it was asked once. What throws has changed nothing, or is finished by asking again.
 */
export interface LoadBalancers {
  /** Undefined where there is none. */
  get(service: SeenService, signal: AbortSignal): Promise<BalancerStatus | undefined>;
  /** Makes it, or makes it as the service is now. @throws Error whose message the service's users read */
  ensure(service: SeenService, nodes: readonly SeenNode[], signal: AbortSignal): Promise<BalancerStatus>;
  /** Makes it lead to other nodes. */
  update(service: SeenService, nodes: readonly SeenNode[], signal: AbortSignal): Promise<void>;
  /** Nothing where there is none. */
  remove(service: SeenService, signal: AbortSignal): Promise<void>;
}
