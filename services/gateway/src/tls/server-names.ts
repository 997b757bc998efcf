import { X509Certificate } from "node:crypto";

const label = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const hostName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`);
const dotted = /^\d+(?:\.\d+){3}$/;

/** Whether a text is a server name or a pattern (`*.example`). Clients do not ask for addresses by name. */
export function isServerName(name: string): boolean {
  return hostName.test(name) && !dotted.test(name);
}

/** The names that a certificate is for. */
export function namesOf(certificate: string): readonly string[] {
  const { subject, subjectAltName = "" } = new X509Certificate(certificate);
  const commonName = /(?:^|\n)CN=([^\n]*)/.exec(subject)?.[1];
  const names = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)].map(([, name = ""]) => name);
  return [...(commonName === undefined ? [] : [commonName]), ...names].map(canonical).filter(isServerName);
}

const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, "");

export interface Named<T> {
  readonly value: T;
  /** Names that were given for it. */
  readonly given: readonly string[];
  /** Names in the certificate. */
  readonly own: readonly string[];
}

/**
 * Finds what is for a name: a name itself before a pattern, a name that was given before one that a certificate says of
 * itself, the first before the later ones.
 */
export function byServerName<T>(all: readonly Named<T>[]): (name: string) => T | undefined {
  const found = new Map<string, T>();
  const add = (names: readonly string[], value: T): void => {
    for (const name of names) if (!found.has(canonical(name))) found.set(canonical(name), value);
  };
  for (const { given, value } of all) add(given, value);
  for (const { given, own, value } of all) if (given.length === 0) add(own, value);
  return (asked) => {
    const name = canonical(asked);
    const dot = name.indexOf(".");
    return found.get(name) ?? (dot < 0 ? undefined : found.get(`*${name.slice(dot)}`));
  };
}
