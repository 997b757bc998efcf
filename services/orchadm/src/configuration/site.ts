import { messageOf } from "@orch/status/message-of.js";
import { openCluster } from "../cluster.js";
import { pathsOf } from "../machine/paths.js";
import type { Site } from "../site.js";
import type { Tools } from "../world.js";
import { initInput } from "./init.js";
import { storedClusterConfiguration } from "./stored.js";

export interface SiteOptions {
  /** Of a configuration file; empty: the cluster is asked, and where it does not answer defaults hold. */
  readonly config: string;
  readonly certDir: string;
}

/** A machine that is set up already, as a command that changes it sees it. */
export async function existingSite({ config, certDir }: SiteOptions, tools: Tools, tag: string): Promise<Site> {
  const paths = pathsOf(tools.naming);
  const given = new Set(config === "" ? [] : ["config"]);
  const { init, cluster } = initInput({ values: { config }, given }, tools);
  const member = {
    name: init.nodeRegistration.name,
    advertiseAddress: init.localAPIEndpoint.advertiseAddress,
    bindPort: init.localAPIEndpoint.bindPort,
  };
  const known = config === "" ? ((await stored(tools, tag)) ?? cluster) : cluster;
  return { tools, paths, member, cluster: { ...known, certificatesDir: certDir || known.certificatesDir } };
}

async function stored(tools: Tools, tag: string): Promise<Site["cluster"] | undefined> {
  const { machine, printError, naming } = tools;
  const path = pathsOf(naming).clientConfig("admin");
  if (!machine.exists(path)) return undefined;
  printError(`[${tag}] Reading configuration from the cluster...\n`);
  try {
    const cluster = await openCluster(machine.at(path));
    try {
      return await storedClusterConfiguration(cluster, tools);
    } finally {
      await cluster.close();
    }
  } catch (error) {
    printError(
      `[${tag}] Error reading configuration from the Cluster. Falling back to default configuration: ${messageOf(error)}\n`,
    );
    return undefined;
  }
}
