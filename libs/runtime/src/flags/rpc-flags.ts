import { isIP } from "node:net";
import { messageOf } from "@orch/status/message-of.js";
import type { Metrics } from "../metrics.js";
import { type PeerCheck, servicePeers } from "../service-identity.js";
import { type ReloadDeps, type Reloaded, reloadedFiles, type TlsIdentity, tlsIdentity } from "../tls-files.js";
import { listFlag, stringFlag } from "./flag-types.js";
import type { FlagValues } from "./flags.js";

const group = "Services";

/** Flags of a process that speaks to services of its cluster. */
export const rpcFlags = {
  "rpc-ca-file": stringFlag("", {
    group,
    word: "file",
    help: "authority of the services' certificates; it should sign nothing else",
  }),
  "rpc-cert-file": stringFlag("", {
    group,
    word: "file",
    help: "certificate by which other services know this one, with the URI spiffe://<trust domain>/service/<name>",
  }),
  "rpc-key-file": stringFlag("", { group, word: "file", help: "key of that certificate" }),
  "rpc-trust-domain": stringFlag("cluster.local", {
    group,
    word: "domain",
    help: "trust domain of the services' identities; clusters that share an authority need one each",
  }),
} as const;

/** Flags of a process that has no other surface for its metrics. */
export const opsFlags = {
  "metrics-allowed-peers": listFlag(["monitoring"], {
    group,
    help: "names of the services that may read /metrics where there are certificates, comma separated",
  }),
} as const;

/** Flags of a service that others call. */
export const rpcServerFlags = {
  ...rpcFlags,
  ...opsFlags,
  "rpc-allowed-peers": listFlag(["gateway"], {
    group,
    help: "names of the services that may call this one where there are certificates, comma separated",
  }),
} as const;

/** Flags of a process that needs answers of webhooks. */
export const admissionServerFlags = {
  "admission-servers": listFlag([], {
    group,
    help: "services that call webhooks, as host:port, comma separated; what needs a webhook fails where there are none",
  }),
} as const;

/** Flags of a process that asks for the keys of what is stored. */
export const kmsServerFlags = {
  "kms-servers": listFlag([], {
    group,
    help: "services that hold the keys of the store, as host:port, comma separated; nothing is encrypted where there are none",
  }),
} as const;

/** How one side of a connection proves who it is, and whom it takes for the other. */
export interface PeerSecurity {
  /** What new connections are made with. */
  readonly credentials: Reloaded<TlsIdentity>;
  readonly accepts: PeerCheck;
}

/** The identity of this process among the services. */
export interface ServiceTls {
  /** Connections with the services of these names, whichever side begins them. */
  with(services: readonly string[]): PeerSecurity;
}

export interface ServiceTlsDeps extends ReloadDeps {
  readonly metrics: Pick<Metrics, "counter">;
  /** Ends the start with a sentence about wrong flags. */
  readonly refuse: (problem: string) => never;
}

/**
 * The certificate of this process as {@link rpcFlags} say; undefined for plain connections. Those are for one machine:
 * `hosts`, where this process listens or to whom it connects, must be loopback addresses then.
 */
export async function serviceTls(
  values: FlagValues<typeof rpcFlags>,
  hosts: readonly string[],
  deps: ServiceTlsDeps,
): Promise<ServiceTls | undefined> {
  const { metrics, refuse } = deps;
  const named = ["rpc-ca-file", "rpc-cert-file", "rpc-key-file"] as const;
  const paths = named.map((name) => values[name]);
  const missing = named.filter((name) => values[name] === "");
  if (missing.length === named.length) {
    const far = hosts.find((host) => !isLoopback(host));
    if (far === undefined) return undefined;
    return refuse(
      `plain connections between services are for one machine, and ${far} is not surely this one: --rpc-ca-file, --rpc-cert-file and --rpc-key-file are needed`,
    );
  }
  if (missing.length > 0)
    return refuse(`--rpc-ca-file, --rpc-cert-file and --rpc-key-file go together: --${missing[0]} is needed`);
  const trustDomain = values["rpc-trust-domain"];
  if (!/^[a-z0-9._-]+$/.test(trustDomain)) {
    return refuse(
      `--rpc-trust-domain: ${JSON.stringify(trustDomain)} is no domain (lower case letters, digits, . _ -)`,
    );
  }
  const reloads = metrics.counter({
    name: "orch_service_tls_reloads_total",
    help: "Changes of the files of the certificate for other services, by whether they are in force.",
    stability: "ALPHA",
    labels: ["result"],
  });
  const refused = metrics
    .counter({
      name: "orch_service_peers_refused_total",
      help: "Peers that were refused because their verified certificate names nobody who is expected.",
      stability: "ALPHA",
      labels: [],
    })
    .with({});
  const counted = (result: "success" | "failure"): void => reloads.with({ result }).inc();
  const credentials = await reloadedFiles({ ...deps, counted, paths, make: tlsIdentity }).catch((error: unknown) =>
    refuse(`--rpc-ca-file, --rpc-cert-file, --rpc-key-file: ${messageOf(error)}`),
  );
  return {
    with(services) {
      const check = servicePeers(trustDomain, services);
      return {
        credentials,
        accepts(certificate) {
          const verdict = check(certificate);
          if (!verdict.accepted) refused.inc();
          return verdict;
        },
      };
    },
  };
}

/** Whether an address is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) === 4) return bare.startsWith("127.");
  return bare === "::1" || bare === "localhost";
}
