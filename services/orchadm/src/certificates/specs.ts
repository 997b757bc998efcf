import type { Order } from "@orch/pki/orders.js";
import { endpointHost, type Site } from "../site.js";
import { serviceAddress } from "./service-address.js";

/** A certificate of a control plane machine. Names are part of the interface: of phases, and of `certs renew`. */
export interface CertificateSpec {
  readonly name: string;
  /** Below the folder of certificates, without `.crt` and `.key`. */
  readonly base: string;
  readonly description: string;
  /** Base of the authority that signs it; undefined of an authority. */
  readonly authority: string | undefined;
  readonly subject: (site: Site) => Order["subject"];
  readonly usages: Order["usages"];
  readonly names: (site: Site) => readonly string[];
  readonly isOfEtcd: boolean;
}

const none = (): readonly string[] => [];
const authority = (
  name: string,
  base: string,
  commonName: (site: Site) => string,
  description: string,
): CertificateSpec => ({
  ...{ name, base, description, authority: undefined, usages: "authority" as const },
  subject: (site) => ({ commonName: commonName(site) }),
  names: (site) => [commonName(site)],
  isOfEtcd: base.startsWith("etcd/"),
});

const system = (part: string) => (site: Site) => ({ commonName: site.tools.naming.systemName(part) });
/** Who may do everything, by a binding that can be taken away. */
export const adminsGroup = ({ tools: { naming } }: Pick<Site, "tools">): string =>
  `${naming.configurationWord("orchadm")}:cluster-admins`;
const ofNode = ({ member }: Site) => ({ commonName: member.name });

/** All of them, each behind the authority that signs it. */
export const certificateSpecs: readonly CertificateSpec[] = [
  authority("ca", "ca", ({ tools }) => tools.naming.word("orch"), "the authority of the cluster's own certificates"),
  {
    ...{ name: "apiserver", base: "apiserver", authority: "ca", usages: ["server"], isOfEtcd: false },
    description: "the certificate for serving the API",
    subject: system("apiserver"),
    names: apiserverNames,
  },
  {
    ...{ name: "apiserver-kubelet-client", base: "apiserver-kubelet-client", authority: "ca", usages: ["client"] },
    description: "the certificate by which the API server reaches nodes' agents",
    subject: (site) => ({ ...system("apiserver-kubelet-client")(site), organizations: [adminsGroup(site)] }),
    names: none,
    isOfEtcd: false,
  },
  authority("front-proxy-ca", "front-proxy-ca", () => "front-proxy-ca", "the authority of the front proxy"),
  {
    ...{ name: "front-proxy-client", base: "front-proxy-client", authority: "front-proxy-ca", usages: ["client"] },
    description: "the certificate by which the front proxy is known",
    subject: () => ({ commonName: "front-proxy-client" }),
    names: none,
    isOfEtcd: false,
  },
  authority("etcd-ca", "etcd/ca", () => "etcd-ca", "the authority of etcd's certificates"),
  {
    ...{ name: "etcd-server", base: "etcd/server", authority: "etcd/ca", usages: ["server", "client"], isOfEtcd: true },
    description: "the certificate for serving etcd",
    subject: ofNode,
    names: (site) => etcdNames(site, site.cluster.etcd.local?.serverCertSANs ?? []),
  },
  {
    ...{ name: "etcd-peer", base: "etcd/peer", authority: "etcd/ca", usages: ["server", "client"], isOfEtcd: true },
    description: "the certificate by which members of etcd reach each other",
    subject: ofNode,
    names: (site) => etcdNames(site, site.cluster.etcd.local?.peerCertSANs ?? []),
  },
  {
    ...{ name: "etcd-healthcheck-client", base: "etcd/healthcheck-client", authority: "etcd/ca", usages: ["client"] },
    description: "the certificate for probes of etcd",
    subject: system("etcd-healthcheck-client"),
    names: none,
    isOfEtcd: true,
  },
  {
    ...{ name: "apiserver-etcd-client", base: "apiserver-etcd-client", authority: "etcd/ca", usages: ["client"] },
    description: "the certificate by which the API server reaches etcd",
    subject: system("apiserver-etcd-client"),
    names: none,
    isOfEtcd: true,
  },
];

export const isAuthority = (spec: CertificateSpec): boolean => spec.authority === undefined;

/** Where etcd is somebody else's, its certificates are too. */
export const specsOf = ({ cluster }: Pick<Site, "cluster">): readonly CertificateSpec[] =>
  certificateSpecs.filter(
    (spec) => !(spec.isOfEtcd || spec.authority === "etcd/ca") || cluster.etcd.external === undefined,
  );

function apiserverNames(site: Site): readonly string[] {
  const { cluster, member, tools } = site;
  const service = tools.naming.word("orch");
  const host = endpointHost(cluster);
  return unique([
    member.name,
    service,
    `${service}.default`,
    `${service}.default.svc`,
    `${service}.default.svc.${cluster.networking.dnsDomain}`,
    ...cluster.networking.serviceSubnet.split(",").map((subnet) => serviceAddress(subnet.trim(), 1)),
    member.advertiseAddress,
    ...(host === undefined ? [] : [host]),
    ...cluster.apiServer.certSANs,
  ]);
}

const etcdNames = ({ member }: Site, further: readonly string[]): readonly string[] =>
  unique([member.name, "localhost", member.advertiseAddress, "127.0.0.1", "::1", ...further]);

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
