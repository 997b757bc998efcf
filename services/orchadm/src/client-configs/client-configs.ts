import { X509Certificate } from "node:crypto";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { issueOrder, type Subject } from "@orch/pki/orders.js";
import { algorithmOf, validityOf } from "../certificates/ensure.js";
import { findPair } from "../certificates/pairs.js";
import { adminsGroup } from "../certificates/specs.js";
import type { ClientConfigName } from "../machine/paths.js";
import { clusterServer, localServer, type Site } from "../site.js";

/** A client configuration of a control plane machine. */
export interface ClientConfigSpec {
  readonly name: ClientConfigName;
  /** As its phase is called. */
  readonly phase: string;
  readonly description: string;
  readonly subject: (site: Site) => Subject;
  /** The one on this machine for components; the cluster's stable one for people and agents. */
  readonly server: (site: Site) => string;
}

export const clientConfigSpecs: readonly ClientConfigSpec[] = [
  {
    ...{
      name: "admin",
      phase: "admin",
      description: "the administrator's client configuration",
      server: clusterServer,
    },
    subject: (site) => ({ commonName: `${site.tools.naming.word("orch")}-admin`, organizations: [adminsGroup(site)] }),
  },
  {
    ...{ name: "super-admin", phase: "super-admin", description: "one that passes by RBAC", server: clusterServer },
    subject: ({ tools: { naming } }) => ({
      commonName: `${naming.word("orch")}-super-admin`,
      organizations: [naming.mastersGroup],
    }),
  },
  {
    ...{
      name: "agent",
      phase: "kubelet",
      description: "the client configuration of the node's agent",
      server: clusterServer,
    },
    subject: ({ member }) => agentSubject(member.name),
  },
  {
    ...{ name: "controller-manager", phase: "controller-manager", server: localServer },
    description: "the client configuration of the controller manager",
    subject: ({ tools: { naming } }) => ({ commonName: `system:${naming.systemName("controller-manager")}` }),
  },
  {
    ...{ name: "scheduler", phase: "scheduler", description: "the client configuration of the scheduler" },
    server: localServer,
    subject: ({ tools: { naming } }) => ({ commonName: `system:${naming.systemName("scheduler")}` }),
  },
];

/** Who the agent of a node is. */
export const agentSubject = (node: string): Subject => ({
  commonName: `system:node:${node}`,
  organizations: ["system:nodes"],
});

/**
 * Has a client configuration lie on disk; one that is there is kept if it is for the same authority and server.
 * @throws Error where it is for others, or where the authority's key is somewhere else
 */
export async function ensureClientConfig(spec: ClientConfigSpec, site: Site): Promise<void> {
  const { machine, print, naming } = site.tools;
  const path = site.paths.clientConfig(spec.name);
  const shown = path.split("/").at(-1) ?? "";
  const { certificate: ca, key } = findPair(machine, `${site.cluster.certificatesDir}/ca`);
  if (ca === undefined)
    throw new Error(`couldn't create ${shown}: there is no ${machine.at(`${site.cluster.certificatesDir}/ca.crt`)}`);
  if (machine.exists(path)) {
    const text = machine.read(path);
    if (!text.includes(base64(ca)))
      throw new Error(
        `a kubeconfig file ${JSON.stringify(machine.at(path))} exists already but has got the wrong CA cert`,
      );
    if (!text.includes(spec.server(site)))
      throw new Error(
        `a kubeconfig file ${JSON.stringify(machine.at(path))} exists already but has got the wrong API Server URL`,
      );
    print(`[kubeconfig] Using existing kubeconfig file: ${JSON.stringify(machine.at(path))}\n`);
    return;
  }
  if (key === undefined)
    throw new Error(`${machine.at(path)} lacks and the authority's key is not here (external CA mode)`);
  print(`[kubeconfig] Writing ${JSON.stringify(shown)} kubeconfig file\n`);
  const user = spec.subject(site);
  const pair = await issueClient(site, { user, authority: { certificate: ca, key } });
  const text = printClientConfig({
    apiVersion: naming.clientConfigApiVersion,
    ...{ cluster: site.cluster.clusterName, server: spec.server(site), ca, user: user.commonName },
    credentials: { pair },
  });
  machine.write(path, text);
}

/** A client certificate of a user, good for as long as those of the cluster are, or `validMs`. */
export function issueClient(
  site: Pick<Site, "cluster" | "tools">,
  { user, authority, validMs }: { readonly user: Subject; readonly authority: KeyPair; readonly validMs?: number },
): Promise<KeyPair> {
  const order = {
    ...{ subject: user, usages: ["client"] as const, names: [] },
    algorithm: algorithmOf(site),
    validMs: validMs ?? validityOf(site).leaf,
  };
  return issueOrder(order, site.tools.clock.now(), authority);
}

export interface NewClientConfig {
  readonly apiVersion: string;
  /** Name of the cluster. */
  readonly cluster: string;
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly user: string;
  readonly credentials: Credentials;
}

export type Credentials =
  | { readonly pair: KeyPair }
  | { readonly token: string }
  /** Paths as processes see them. */
  | { readonly files: { readonly certificate: string; readonly key: string } };

export function printClientConfig({ apiVersion, cluster, server, ca, user, credentials }: NewClientConfig): string {
  const context = `${user}@${cluster}`;
  return printYaml({
    apiVersion,
    kind: "Config",
    clusters: [{ name: cluster, cluster: { "certificate-authority-data": base64(ca), server } }],
    contexts: [{ name: context, context: { cluster, user } }],
    "current-context": context,
    preferences: {},
    users: [{ name: user, user: userOf(credentials) }],
  });
}

function userOf(credentials: Credentials): Readonly<Record<string, string>> {
  if ("token" in credentials) return { token: credentials.token };
  if ("files" in credentials) {
    return { "client-certificate": credentials.files.certificate, "client-key": credentials.files.key };
  }
  const { certificate, key } = credentials.pair;
  return { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** The certificate within a client configuration that we wrote; undefined where it has none. */
export function certificateIn(text: string): X509Certificate | undefined {
  const [, data] = /client-certificate-data: ["']?([A-Za-z0-9+/=]+)/.exec(text) ?? [];
  return data === undefined ? undefined : new X509Certificate(Buffer.from(data, "base64"));
}

/** A client configuration that we wrote, with another certificate and key in it. */
export const withPair = (text: string, { certificate, key }: KeyPair): string =>
  text
    .replace(/client-certificate-data: .*/, `client-certificate-data: ${base64(certificate)}`)
    .replace(/client-key-data: .*/, `client-key-data: ${base64(key)}`);
