import type { TlsFlagValues } from "../tls/flags.js";
import type { TlsMaterial } from "../tls/material.js";
import type { OwnKind } from "./write.js";

export const configMaps: OwnKind = { group: "", version: "v1", resource: "configmaps" };
export const authenticationMap = "extension-apiserver-authentication";

type Flags = Pick<
  TlsFlagValues,
  | "requestheader-allowed-names"
  | "requestheader-username-headers"
  | "requestheader-group-headers"
  | "requestheader-extra-headers-prefix"
>;

/**
 * What extension servers need to authenticate this gateway and its clients: the certificate authorities, and the headers of
 * a front proxy. A key that this gateway has no value for is left as another gateway wrote it.
 */
export function authenticationData(
  { clientCa, proxyCa }: Pick<TlsMaterial, "clientCa" | "proxyCa">,
  flags: Flags,
): Readonly<Record<string, string>> {
  const list = (values: readonly string[]): string => JSON.stringify(values);
  return {
    ...(clientCa === undefined ? {} : { "client-ca-file": clientCa }),
    ...(proxyCa === undefined
      ? {}
      : {
          "requestheader-client-ca-file": proxyCa,
          "requestheader-allowed-names": list(flags["requestheader-allowed-names"]),
          "requestheader-username-headers": list(flags["requestheader-username-headers"]),
          "requestheader-group-headers": list(flags["requestheader-group-headers"]),
          "requestheader-extra-headers-prefix": list(flags["requestheader-extra-headers-prefix"]),
        }),
  };
}
