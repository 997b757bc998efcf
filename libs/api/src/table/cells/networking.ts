import type { IPAddress } from "../../kinds/networking/types.js";
import type { ApiObject } from "../../object.js";
import { type Cells, cell, cellWith, none } from "../cell.js";
import { balancerAddresses } from "./service.js";

interface Ingress extends ApiObject {
  readonly spec?: {
    readonly rules?: readonly { readonly host?: string }[];
    readonly tls?: readonly unknown[];
  };
}

interface IngressClass extends ApiObject {
  readonly spec?: {
    readonly parameters?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string };
  };
}

export const networkingCells: Cells = [
  ["ingressHosts", cell<Ingress>(hosts)],
  ["ingressAddress", cell<Ingress>((ingress) => balancerAddresses(ingress).join(","))],
  ["ingressPorts", cell<Ingress>(({ spec }) => ((spec?.tls ?? []).length > 0 ? "80, 443" : "80"))],
  ["ingressClassParameters", cell<IngressClass>(parameters)],
  ["addressParent", cell<IPAddress>(parent)],
  ["nameOfClass", cellWith(nameOfClass)],
];

const shown = 3;

/** Rules without a host are for any: they are not named, but counted among those left out. */
function hosts({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const named: string[] = [];
  for (const { host = "" } of rules) {
    if (named.length === shown) return `${named.join(",")} + ${rules.length - shown} more...`;
    if (host !== "") named.push(host);
  }
  return named.join(",") || "*";
}

function parameters({ spec }: IngressClass): string {
  if (spec?.parameters === undefined) return none;
  const { apiGroup, kind = "", name = "" } = spec.parameters;
  return apiGroup === undefined ? `${kind}/${name}` : `${kind}.${apiGroup}/${name}`;
}

function parent({ spec }: IPAddress): string {
  if (spec?.parentRef === undefined) return none;
  const { group = "", resource = "", namespace = "", name = "" } = spec.parentRef;
  const type = group === "" ? resource : `${resource}.${group}`;
  return [type.toLowerCase(), ...(namespace === "" ? [] : [namespace]), name].join("/");
}

/** Words: the annotations of which one is `true` where the class is the default. */
function nameOfClass(annotations: readonly string[]): (object: ApiObject) => string {
  return ({ metadata }) => {
    const isDefault = annotations.some((annotation) => metadata.annotations?.[annotation] === "true");
    return isDefault ? `${metadata.name ?? ""} (default)` : (metadata.name ?? "");
  };
}
