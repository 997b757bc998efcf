import { isIP } from "node:net";
import type { AnyObject } from "@orch/api/object.js";
import { portNumber } from "@orch/schema/formats/names.js";
import { ApiError, badRequest, unavailable } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import type { Target } from "@orch/status/target.js";
import type { Reached } from "../aggregation/upstream.js";
import { addressNotAllowed, isProxyable, parseAddressed } from "./addressed.js";
import { type AgentAddressOptions, agentAddress, noAddress } from "./agent-address.js";
import { type CoreObjects, fieldsIn, listAt, textAt } from "./objects.js";

/** Whom a request goes on to: the agent of a node, or what listens at an address of the cluster. */
export type Listener = "agent" | "http" | "https";

export interface Location {
  readonly listener: Listener;
  readonly at: Reached;
}

export interface LocationDeps {
  readonly objects: CoreObjects;
  readonly agents: AgentAddressOptions;
  /** The addresses of a host. @throws Error where there is none of that name */
  readonly lookUp: (host: string) => Promise<readonly string[]>;
  /** In [0, 1): which of several endpoints is taken. */
  readonly random: () => number;
}

type Named = Pick<Target, "namespace" | "name">;

/** Where the agent of a node is. @throws ApiError NotFound, InternalError without an address that is wanted */
export async function locateAgent({ objects, agents }: LocationDeps, name: string): Promise<Location> {
  const node = await objects.get({ resource: "nodes", namespace: "", name });
  const at = agentAddress(node, agents);
  if (at === undefined) throw unexplained(noAddress(node));
  // A node may say what it likes of itself.
  if (!isPort(at.port)) throw unexplained(`dial tcp: address ${at.port}: invalid port`);
  return { listener: "agent", at };
}

/** An error of the server for which the reference has no reason. */
export function unexplained(message: string, cause?: unknown): ApiError {
  return new ApiError("InternalError", message, { toldReason: "", cause });
}

/** What `nodes/<id>/proxy` leads to: the agent, or another port of the node. @throws ApiError */
export async function locateNode(deps: LocationDeps, id: string): Promise<Location> {
  const { scheme, name, port } = parseAddressed(id, "node");
  const agent = await locateAgent(deps, name);
  const at = await farAddress(deps, agent.at);
  if (port === "" || port === String(at.port)) return { ...agent, at };
  const other = locationOf(scheme, at.host, port);
  return { ...other, at: { ...at, ...other.at } };
}

/**
 * The address that a host is, or leads to: a name that is looked up once more may lead elsewhere.
 * @throws ApiError BadRequest for a host that is, or may be, this machine or its link
 */
async function farAddress({ lookUp }: Pick<LocationDeps, "lookUp">, { host, port }: Reached): Promise<Reached> {
  const isName = isIP(host) === 0;
  const addresses = !isName
    ? [host]
    : await lookUp(host).catch((error: unknown) => {
        throw badRequest(`lookup ${cut(host)}: no such host`, error);
      });
  const [first] = addresses;
  if (first === undefined) throw badRequest("No addresses for hostname");
  if (!addresses.every(isProxyable)) throw addressNotAllowed();
  return { host: first, port, name: isName ? host : undefined };
}

/** What `pods/<id>/proxy` leads to: the first port that a container names where none is asked for. @throws ApiError */
export async function locatePod({ objects }: LocationDeps, { namespace, name: id }: Named): Promise<Location> {
  const { scheme, name, port } = parseAddressed(id, "pod");
  const pod = await objects.get({ resource: "pods", namespace, name });
  const [address = ""] = podAddresses(pod);
  if (!isProxyable(address)) throw addressNotAllowed();
  return locationOf(scheme, address, port === "" ? firstPort(pod) : port);
}

function podAddresses(pod: AnyObject): readonly string[] {
  const all = listAt(pod, "status.podIPs").map(({ ip }) => String(ip ?? ""));
  return all.length > 0 ? all : [textAt(pod, "status.podIP")];
}

function firstPort(pod: AnyObject): string {
  for (const container of listAt(pod, "spec.containers")) {
    const [first] = fieldsIn(container["ports"]);
    if (first !== undefined) return String(first["containerPort"] ?? "");
  }
  return "";
}

const isPort = (number: number): boolean => Number.isInteger(number) && portNumber(number).length === 0;

const usualPorts = { http: 80, https: 443 } as const;

function locationOf(scheme: "http" | "https" | "", host: string, port: string): Location {
  const listener = scheme === "" ? "http" : scheme;
  // Not what Number reads besides: 0x50, 1e3.
  const number = port === "" ? usualPorts[listener] : /^\d+$/.test(port) ? Number(port) : undefined;
  if (number !== undefined && isPort(number)) return { listener, at: { host, port: number } };
  throw unavailable(`error trying to reach service: dial tcp: address ${cut(port)}: unknown port`);
}

/**
 * What `services/<id>/proxy` leads to: an endpoint of the Service that is ready, serves the port, and is a pod of its namespace
 * with that address. Whoever may write Endpoints could otherwise have anything asked. @throws ApiError
 */
export async function locateService(deps: LocationDeps, { namespace, name: id }: Named): Promise<Location> {
  const { objects, random } = deps;
  const { scheme, name, port: asked } = parseAddressed(id, "service");
  const port = /^[+-]?\d{1,18}$/.test(asked) ? await portName(objects, { namespace, name }, Number(asked)) : asked;
  const subsets = listAt(await objects.get({ resource: "endpoints", namespace, name }), "subsets");
  const none = (of: string): ApiError => unavailable(`no endpoints available for service ${JSON.stringify(of)}`);
  if (subsets.length === 0) throw none(name);
  for (const subset of turned(subsets, random)) {
    const found = fieldsIn(subset["ports"]).find((one) => (one["name"] ?? "") === port);
    if (found === undefined) continue;
    for (const address of turned(fieldsIn(subset["addresses"]), random).slice(0, mostTried)) {
      const ip = String(address["ip"] ?? "");
      if (!isProxyable(ip) || !(await isPodOf(objects, namespace, address))) continue;
      return locationOf(scheme, ip, String(found["port"] ?? ""));
    }
  }
  throw none(cut(id));
}

/** Each costs a get. */
const mostTried = 100;

/** The name of the port of a Service that has a number. @throws ApiError ServiceUnavailable */
async function portName(objects: CoreObjects, of: Named, port: number): Promise<string> {
  const ports = listAt(await objects.get({ resource: "services", ...of }), "spec.ports");
  const found = ports.find((one) => Number(one["port"]) === port);
  if (found !== undefined) return String(found["name"] ?? "");
  throw unavailable(`no service port ${port} found for service ${JSON.stringify(of.name)}`);
}

/** The same values in their order, from a random one on. */
function turned<T>(values: readonly T[], random: () => number): readonly T[] {
  const first = Math.floor(random() * values.length);
  return [...values.slice(first), ...values.slice(0, first)];
}

async function isPodOf(
  objects: CoreObjects,
  namespace: string,
  { ip, targetRef }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const [ref] = fieldsIn([targetRef]);
  if (ref === undefined || ref["namespace"] !== namespace) return false;
  try {
    const pod = await objects.get({ resource: "pods", namespace, name: String(ref["name"] ?? "") });
    return podAddresses(pod).includes(String(ip));
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return false;
    throw error;
  }
}
