import { X509Certificate } from "node:crypto";
import type { Order } from "@orch/pki/orders.js";
import { certificateIn, clientConfigSpecs } from "../client-configs/client-configs.js";
import type { Machine } from "../machine/machine.js";
import type { ClientConfigName, Paths } from "../machine/paths.js";
import { type Found, findPair } from "./pairs.js";
import { certificateSpecs, isAuthority } from "./specs.js";

/** A certificate that can be renewed: a file of its own, or a part of a client configuration. */
export interface Renewable {
  /** As commands name it: `apiserver`, `admin.conf`. */
  readonly name: string;
  readonly description: string;
  /** Base of the authority below the folder of certificates. */
  readonly authority: string;
  readonly at: { readonly base: string } | { readonly clientConfig: ClientConfigName };
}

const leaves = certificateSpecs.flatMap((spec): readonly Renewable[] =>
  isAuthority(spec)
    ? []
    : [{ name: spec.name, description: spec.description, authority: spec.authority ?? "", at: { base: spec.base } }],
);

/** The agent renews its own. */
const configs = clientConfigSpecs
  .filter(({ name }) => name !== "agent")
  .map(
    ({ name, description }): Renewable => ({
      ...{ name: `${name}.conf`, description, authority: "ca" },
      at: { clientConfig: name },
    }),
  );

export const renewables: readonly Renewable[] = [...configs, ...leaves].sort((a, b) => (a.name < b.name ? -1 : 1));
export const authorities = certificateSpecs.filter(isAuthority);

export interface Place {
  readonly machine: Machine;
  readonly paths: Paths;
  readonly certificatesDir: string;
}

/** The certificate as it lies on this machine; undefined where it lacks. */
export function certificateOf(
  { at }: Renewable,
  { machine, paths, certificatesDir }: Place,
): X509Certificate | undefined {
  if ("base" in at) {
    const { certificate } = findPair(machine, `${certificatesDir}/${at.base}`);
    return certificate === undefined ? undefined : new X509Certificate(certificate);
  }
  const path = paths.clientConfig(at.clientConfig);
  return machine.exists(path) ? certificateIn(machine.read(path)) : undefined;
}

export const authorityOf = ({ machine, certificatesDir }: Place, base: string): Found =>
  findPair(machine, `${certificatesDir}/${base}`);

/** What a certificate was ordered as: its subject, names and usages. */
export function orderOf(certificate: X509Certificate): Pick<Order, "subject" | "names" | "usages"> {
  const parts = certificate.subject.split("\n").map((line) => line.split("=", 2));
  const values = (type: string): string[] => parts.flatMap(([key, value = ""]) => (key === type ? [value] : []));
  const purposes = certificate.keyUsage ?? [];
  const usages = [
    ...(purposes.includes("1.3.6.1.5.5.7.3.1") ? (["server"] as const) : []),
    ...(purposes.includes("1.3.6.1.5.5.7.3.2") ? (["client"] as const) : []),
  ];
  const organizations = values("O");
  return {
    subject: { commonName: values("CN")[0] ?? "", ...(organizations.length === 0 ? {} : { organizations }) },
    usages,
    names: (certificate.subjectAltName ?? "")
      .split(", ")
      .flatMap((name) => (/^(?:DNS|IP Address):/.test(name) ? [name.slice(name.indexOf(":") + 1)] : [])),
  };
}
