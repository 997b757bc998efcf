import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { modernCiphers } from "./cipher-suites.js";
import type { TlsMaterial } from "./material.js";
import { byServerName, namesOf } from "./server-names.js";

/** Material as node's TLS layer takes it. */
export interface TlsContexts {
  /** Of clients that ask for no name of the others. */
  readonly main: SecureContextOptions;
  /** The certificate for a name that a client asks for; undefined for the main one. */
  readonly forName: (name: string) => SecureContext | undefined;
}

/** @throws Error where certificates and keys do not make pairs */
export function tlsContexts(material: TlsMaterial): TlsContexts {
  const { cert, key, clientCa, proxyCa, named = [], minVersion = "TLSv1.2", ciphers = modernCiphers } = material;
  const authorities = [clientCa, proxyCa].filter((pem) => pem !== undefined);
  const shared: SecureContextOptions = {
    minVersion,
    ciphers,
    ...(authorities.length === 0 ? {} : { ca: authorities }),
  };
  const contexts = named.map((pair) => ({
    value: createSecureContext({ ...shared, cert: pair.cert, key: pair.key }),
    given: pair.names,
    own: namesOf(pair.cert),
  }));
  return { main: { ...shared, cert, key }, forName: byServerName(contexts) };
}

export const asksForCertificates = ({ clientCa, proxyCa }: TlsMaterial): boolean =>
  clientCa !== undefined || proxyCa !== undefined;
