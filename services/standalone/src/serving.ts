import type { TokenEntry } from "@orch/auth/token-file.js";
import type { Naming } from "@orch/naming/naming.js";
import { signerKinds } from "@orch/service-controller-manager/certificates/signers.js";
import type { ControllerManagerConfig } from "@orch/service-controller-manager/service.js";
import type { ServingSettings } from "@orch/service-gateway/serving-settings.js";
import type { Pki } from "./pki/pki.js";

/** Who issues the tokens of service accounts where no flag says: a name that only this cluster's own root service has. */
export function ownIssuer(naming: Naming): string {
  return `https://${naming.word("orch")}.default.svc`;
}

/** The settings with what is this server's own where the flags leave it open: certificates, keys, the issuer of tokens. */
export function ownServing(
  serving: ServingSettings,
  own: { readonly pki: Pki | undefined; readonly naming: Naming; readonly tokens: readonly TokenEntry[] },
): ServingSettings {
  const { access, tls } = serving;
  const paths = own.pki?.paths;
  const { values } = access;
  return {
    ...serving,
    access: {
      ...access,
      tokens: [...own.tokens, ...access.tokens],
      values: {
        ...values,
        "service-account-issuer": orElse(values["service-account-issuer"], [ownIssuer(own.naming)]),
        "service-account-key-file": orElse(
          values["service-account-key-file"],
          paths === undefined ? [] : [paths.serviceAccountKey],
        ),
      },
    },
    nodes: {
      ...serving.nodes,
      ...(paths === undefined || serving.nodes["kubelet-client-certificate"] !== ""
        ? {}
        : {
            "kubelet-client-certificate": paths.agentClientCertificate,
            "kubelet-client-key": paths.agentClientKey,
          }),
    },
    tls: {
      ...tls,
      "tls-cert-file": tls["tls-cert-file"] || (paths?.servingCertificate ?? ""),
      "tls-private-key-file": tls["tls-private-key-file"] || (paths?.servingKey ?? ""),
      "client-ca-file": tls["client-ca-file"] || (paths?.ca ?? ""),
    },
  };
}

const orElse = <T>(given: readonly T[], own: readonly T[]): readonly T[] => (given.length > 0 ? given : own);

/** Controllers that sign sign with this server's authority and its key of service accounts, where no flag names others. */
export function ownControllers(
  config: ControllerManagerConfig,
  { ca, paths, serviceAccountKey }: Pki,
): ControllerManagerConfig {
  const { signing, accounts } = config;
  const files = { certificate: paths.ca, key: paths.caKey };
  const named = Object.keys(signing.authorities).length > 0;
  const own = Object.fromEntries(signerKinds.map((kind) => [kind, files]));
  return {
    ...config,
    signing: named ? signing : { ...signing, authorities: own },
    accounts: {
      tokenKeyPem: accounts?.tokenKeyPem ?? serviceAccountKey,
      tokenWorkers: accounts?.tokenWorkers ?? 1,
      rootCa: accounts?.rootCa ?? ca,
    },
  };
}
