import { userFlags } from "../certificates/flags.js";
import { findPair } from "../certificates/pairs.js";
import { type CommandNode, command, group } from "../command-line.js";
import { existingSite } from "../configuration/site.js";
import { readClusterInfo } from "../discovery/cluster-info.js";
import { clusterServer, type Site } from "../site.js";
import { issueClient, printClientConfig } from "./client-configs.js";

const user = command({
  word: "user",
  description: "Output a client configuration for an additional user",
  flags: userFlags,
  async run({ values }, tools) {
    const { config, org, token } = values;
    const name = values["client-name"];
    if (name === "") throw new Error('required flag(s) "client-name" not set');
    const site = await existingSite({ config, certDir: values["cert-dir"] }, tools, "kubeconfig");
    const { machine, naming } = tools;
    const { certificate: ca, key } = findPair(machine, `${site.cluster.certificatesDir}/ca`);
    if (ca === undefined) throw new Error(`there is no ${machine.at(`${site.cluster.certificatesDir}/ca.crt`)}`);
    if (token === "" && key === undefined)
      throw new Error("the key of the authority is not here (external CA mode): give a --token");
    const subject = { commonName: name, organizations: org };
    const credentials =
      token === ""
        ? {
            pair: await issueClient(site, {
              user: subject,
              authority: { certificate: ca, key: key ?? "" },
              validMs: values["validity-period"],
            }),
          }
        : { token };
    const server = config === "" ? (knownServer(site) ?? clusterServer(site)) : clusterServer(site);
    tools.print(
      printClientConfig({
        ...{ apiVersion: naming.clientConfigApiVersion, cluster: site.cluster.clusterName, server, ca, user: name },
        credentials,
      }),
    );
    return 0;
  },
});

/** That of the administrator on this machine: without a file nothing else says where the API is. */
function knownServer({ tools: { machine }, paths }: Site): string | undefined {
  const path = paths.clientConfig("admin");
  return machine.exists(path) ? readClusterInfo(machine.read(path)).server : undefined;
}

/** By either of its names. */
export const clientConfigCommands: readonly CommandNode[] = ["kubeconfig", "orchconfig"].map((word) =>
  group({ word, description: "Client configuration file utilities", commands: [user] }),
);
