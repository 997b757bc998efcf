import type { ApiObject } from "../../object.js";
import { type Cells, cell, none, unknown } from "../cell.js";

interface LoadBalanced extends ApiObject {
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
  };
}

interface Service extends LoadBalanced {
  readonly spec?: {
    readonly type?: string;
    readonly externalIPs?: readonly string[];
    readonly externalName?: string;
    readonly ports?: readonly { readonly port?: number; readonly nodePort?: number; readonly protocol?: string }[];
  };
}

export const serviceCells: Cells = [
  ["serviceExternalIP", cell<Service>(externalIP)],
  ["servicePorts", cell<Service>(ports)],
];

function externalIP(service: Service): string {
  const { type, externalIPs = [], externalName = "" } = service.spec ?? {};
  switch (type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.join(",") || none;
    case "LoadBalancer":
      return [...balancerAddresses(service), ...externalIPs].join(",") || "<pending>";
    case "ExternalName":
      return externalName;
    default:
      return unknown;
  }
}

/** Addresses, or else names, of what balances the load; sorted. */
export function balancerAddresses({ status }: LoadBalanced): readonly string[] {
  const points = (status?.loadBalancer?.ingress ?? []).map(({ ip = "", hostname = "" }) => ip || hostname);
  return [...new Set(points.filter((point) => point !== ""))].sort();
}

function ports({ spec }: Service): string {
  const texts = (spec?.ports ?? []).map(({ port = 0, nodePort = 0, protocol = "" }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return texts.join(",") || none;
}
