import type { ServiceReference } from "@orch/outbound/destination.js";
import type { Condition } from "./api-service.js";
import type { ServiceView } from "./service-views.js";

/** A condition without the time since when it holds. */
export type Verdict = Pick<Condition, "status" | "reason" | "message">;

const no = (reason: string, message: string): Verdict => ({ status: "False", reason, message });

/**
 * What the objects of a Service say against its server; undefined where only the server itself can tell. In the words of the
 * reference.
 */
export function objection(
  { namespace, name, port }: ServiceReference,
  { service, endpoints }: ServiceView,
): Verdict | undefined {
  const of = `service/${name} in ${JSON.stringify(namespace)}`;
  if (service === undefined) return no("ServiceNotFound", `${of} is not present`);
  // Of other types the cluster knows neither ports nor endpoints for sure.
  if (service.type !== "ClusterIP") return undefined;
  const found = service.ports.find((one) => one.port === port);
  if (found === undefined) return no("ServicePortError", `${of} is not listening on port ${port}`);
  if (endpoints === undefined) return no("EndpointsNotFound", `cannot find endpoints for ${of}`);
  const isServed = endpoints.some(({ addresses, ports }) => addresses.length > 0 && ports.has(found.name));
  if (isServed) return undefined;
  const ofPort = `with port name ${JSON.stringify(found.name)}`;
  return no("MissingEndpoints", `endpoints for ${of} have no addresses ${ofPort}`);
}

/** After the server was asked for its discovery document: `problem` says what is wrong with its answer. */
export function afterAsking(problem: string | undefined): Verdict {
  if (problem !== undefined) return no("FailedDiscoveryCheck", problem);
  return { status: "True", reason: "Passed", message: "all checks passed" };
}

/** The condition that is to be written; undefined where it is said already. */
export function newCondition(verdict: Verdict, said: Condition | undefined, now: string): Condition | undefined {
  const { status, reason, message } = verdict;
  if (said?.status === status && said.reason === reason && said.message === message) return undefined;
  return { ...verdict, lastTransitionTime: said?.status === status ? said.lastTransitionTime : now };
}
