import type { Naming } from "@orch/naming/naming.js";
import { serviceIdentity } from "@orch/runtime/service-identity.js";

/** The files that a bundle can have, in the order in which they are written. */
export const bundleFiles = ["tls.key", "tls.crt", "ca.crt", "config"] as const;

/** What a certificate is for. */
export type Purpose =
  /** Signs others; with no issuer but itself. */
  | { readonly kind: "authority" }
  /** The two ends of connections between services. */
  | { readonly kind: "service"; readonly name: string; readonly uri: string }
  /** What clients see of gateways. */
  | { readonly kind: "serving"; readonly names: readonly string[] }
  /** The two ends of connections between members of etcd. */
  | { readonly kind: "member"; readonly names: readonly string[] }
  | { readonly kind: "client"; readonly user: string; readonly groups: readonly string[] };

/** A key pair that somebody needs. */
export interface BundlePlan {
  readonly name: string;
  readonly purpose: Purpose;
  /** Name of the bundle of the authority that signs it; of itself where absent. */
  readonly issuer?: string;
  /** Whether a client configuration file stands beside it: with its texts, or with the names of its files. */
  readonly config?: "texts" | "files";
}

export interface PlanOptions {
  readonly naming: Naming;
  readonly trustDomain: string;
  /** Host names and addresses of the serving certificate. */
  readonly servingNames: readonly string[];
  /** Those of members of etcd; where there are none nothing is made for etcd. */
  readonly etcdNames: readonly string[];
}

/** Everybody who has an identity among the services. */
export const serviceNames = [
  ...["gateway", "resource", "watch-cache", "admission", "audit", "kms"],
  ...["controller-manager", "scheduler", "node-simulator", "monitoring"],
];

/** What a distributed cluster needs, authorities before what they sign. */
export function planBundles({ naming, trustDomain, servingNames, etcdNames }: PlanOptions): readonly BundlePlan[] {
  const client = (user: string, groups: readonly string[]): Purpose => ({ kind: "client", user, groups });
  const controllers = `system:${naming.systemName("controller-manager")}`;
  const etcd: readonly BundlePlan[] = [
    { name: "etcd-ca", purpose: { kind: "authority" } },
    { name: "etcd-member", purpose: { kind: "member", names: etcdNames }, issuer: "etcd-ca" },
    { name: "etcd-client", purpose: client("orch", []), issuer: "etcd-ca" },
  ];
  return [
    { name: "services-ca", purpose: { kind: "authority" } },
    ...serviceNames.map((name): BundlePlan => {
      const uri = serviceIdentity(trustDomain, name);
      return { name: `service-${name}`, purpose: { kind: "service", name, uri }, issuer: "services-ca" };
    }),
    { name: "clients-ca", purpose: { kind: "authority" } },
    { name: "serving", purpose: { kind: "serving", names: servingNames }, issuer: "clients-ca" },
    { name: "client-admin", purpose: client("admin", [naming.mastersGroup]), issuer: "clients-ca", config: "texts" },
    { name: "client-controller-manager", purpose: client(controllers, []), issuer: "clients-ca", config: "files" },
    {
      name: "client-scheduler",
      purpose: client(`system:${naming.systemName("scheduler")}`, []),
      issuer: "clients-ca",
      config: "files",
    },
    {
      name: "client-monitoring",
      purpose: client("monitoring", ["system:monitoring"]),
      issuer: "clients-ca",
      config: "files",
    },
    // Its key signs tokens, its certificate is how others check them: nobody looks at its names or its time.
    { name: "service-accounts", purpose: { kind: "authority" } },
    ...(etcdNames.length === 0 ? [] : etcd),
  ];
}
