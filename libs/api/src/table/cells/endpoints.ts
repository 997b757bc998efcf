import type { ApiObject } from "../../object.js";
import { type Cells, cell, firstOf, none, unset } from "../cell.js";

interface Endpoints extends ApiObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip?: string }[];
    readonly ports?: readonly { readonly port?: number }[];
  }[];
}

interface EndpointSlice extends ApiObject {
  readonly ports?: readonly { readonly port?: number; readonly name?: string }[];
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[];
}

export const endpointsCells: Cells = [
  ["endpoints", cell<Endpoints>(endpoints)],
  ["slicePorts", cell<EndpointSlice>(slicePorts)],
  ["sliceEndpoints", cell<EndpointSlice>(sliceEndpoints)],
];

const shown = 3;

/** Every address with every port of its subset; without ports, addresses alone. */
function endpoints({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return none;
  const texts = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip = "" }) => ip);
    return ports.length === 0 ? ips : ports.flatMap(({ port = 0 }) => ips.map((ip) => withPort(ip, port)));
  });
  return firstOf(texts, shown);
}

function withPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function slicePorts({ ports = [] }: EndpointSlice): string {
  const texts = ports.map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port)));
  return firstOf(texts, shown) || unset;
}

function sliceEndpoints({ endpoints = [] }: EndpointSlice): string {
  return (
    firstOf(
      endpoints.flatMap(({ addresses = [] }) => addresses),
      shown,
    ) || unset
  );
}
