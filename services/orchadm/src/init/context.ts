import type { InitConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { adminsGroup } from "../certificates/specs.js";
import { type Cluster, dryCluster, openCluster } from "../cluster.js";
import { type InitInput, initInput, type Line } from "../configuration/init.js";
import { dryMachine } from "../machine/machine.js";
import { pathsOf } from "../machine/paths.js";
import { noPatches, type Patches, readPatches } from "../manifests/patches.js";
import { accessRules, groupNamed } from "../objects/rbac.js";
import { newCertificateKey } from "../objects/uploaded-certificates.js";
import { ignoredChecks } from "../preflight/preflight.js";
import { createRunner, type RunnerChoice } from "../runner/create-runner.js";
import type { Runner } from "../runner/unit.js";
import type { Site } from "../site.js";
import type { Tools } from "../world.js";

/** What the phases of `init` go by, and what they leave for each other. */
export interface InitContext extends Site {
  readonly init: InitConfiguration;
  readonly agent: InitInput["agent"];
  readonly proxy: InitInput["proxy"];
  readonly patches: Patches;
  readonly runner: Runner;
  readonly etcdProgram: string;
  readonly ignored: readonly string[];
  readonly uploadsCertificates: boolean;
  readonly showsToken: boolean;
  readonly showsCertificateKey: boolean;
  /** By which uploaded certificates are encrypted. */
  readonly certificateKey: string;
  /** The cluster, as its administrator. */
  api(): Promise<Cluster>;
  close(): Promise<void>;
}

/** @throws Error for a configuration that is wrong */
export function initContext(line: Line, given: Tools): InitContext {
  const { values } = line;
  const input = initInput(line, given);
  const { init, cluster } = input;
  const isDry = values["dry-run"] === true || init.dryRun;
  const tools: Tools = isDry ? { ...given, machine: dryMachine(given.machine, given.print) } : given;
  const site: Site = { tools, paths: pathsOf(tools.naming), cluster, member: memberOf(input) };
  const folder = init.patches?.directory ?? "";
  return {
    ...site,
    ...{ init, agent: input.agent, proxy: input.proxy },
    patches: folder === "" ? noPatches : readPatches(folder, tools.naming, tools.printError),
    runner: createRunner(runnerChoice(values.runner), tools),
    etcdProgram: values["etcd-program"] ?? "etcd",
    ignored: ignoredChecks(values["ignore-preflight-errors"] ?? [], init.nodeRegistration.ignorePreflightErrors),
    uploadsCertificates: values["upload-certs"] ?? false,
    showsToken: values["skip-token-print"] !== true,
    showsCertificateKey: values["skip-certificate-key-print"] !== true,
    certificateKey: init.certificateKey || newCertificateKey(),
    ...clusterAccess(site),
  };
}

const runnerChoice = (choice: RunnerChoice | undefined): RunnerChoice => choice ?? "auto";

const memberOf = ({ init }: InitInput): Site["member"] => ({
  name: init.nodeRegistration.name,
  advertiseAddress: init.localAPIEndpoint.advertiseAddress,
  bindPort: init.localAPIEndpoint.bindPort,
});

/** The cluster by the administrator's client configuration of a machine, opened when it is first asked for. */
export function clusterAccess(site: Pick<Site, "tools" | "paths">): Pick<InitContext, "api" | "close"> {
  const { tools, paths } = site;
  const { machine, print, naming } = tools;
  let opened: Promise<Cluster> | undefined;
  async function open(): Promise<Cluster> {
    if (machine.isDry) return dryCluster(print);
    // The group of administrators has no rights before this: another one gives them.
    const path = paths.clientConfig("super-admin");
    if (!machine.exists(path)) return openCluster(machine.at(paths.clientConfig("admin")));
    const cluster = await openCluster(machine.at(path));
    const group = adminsGroup(site);
    await accessRules(cluster, naming).clusterBinding(group, "cluster-admin", [groupNamed(group)]);
    return cluster;
  }
  return {
    api() {
      opened ??= open();
      return opened;
    },
    async close() {
      const cluster = await opened?.catch(() => undefined);
      await cluster?.close();
    },
  };
}
