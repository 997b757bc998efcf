import { isRecord } from "@orch/client/objects.js";
import { readDocument } from "@orch/codec/configuration-document.js";
import type { ProxyConfiguration } from "@orch/component-config/proxy/proxy-shape.js";
import { collections } from "../cluster.js";
import { componentKinds, kindsOf } from "../configuration/read-file.js";
import { type Addon, publishAddon } from "../objects/addons.js";
import { namesOf } from "../objects/names.js";
import { nodesOf } from "./cluster-facts.js";
import type { UpgradeContext } from "./context.js";

/** Writes the objects of an addon anew, with the configuration that it has; one that nobody installed stays away. */
export async function upgradeAddon(context: UpgradeContext, addon: Addon): Promise<void> {
  const { tools, cluster, member, api, changes } = context;
  const { naming, print } = tools;
  const name = addon === "proxy" ? naming.systemName("proxy") : addon;
  const map = await api.get(collections.configMaps(namesOf(naming).systemNamespace), name);
  if (map === undefined) {
    print(`[addons] Skipping the addon ${name}: it is not installed\n`);
    return;
  }
  const { init: kind } = kindsOf(tools);
  const init = kind.defaults();
  const own = (await nodesOf(api, tools)).find((node) => node.name === member.name);
  const nodeRegistration = { ...init.nodeRegistration, criSocket: own?.criSocket ?? "" };
  const proxy = addon === "proxy" ? storedProxy(map["data"], context) : undefined;
  await publishAddon(changes, { tools, cluster, member, proxy, init: { ...init, nodeRegistration } }, addon);
}

const key = "config.conf";

/** @throws Error for a configuration that this version does not know */
function storedProxy(data: unknown, { tools }: Pick<UpgradeContext, "tools">): ProxyConfiguration {
  const { proxy } = componentKinds(tools);
  const text: unknown = isRecord(data) ? data[key] : undefined;
  if (typeof text !== "string") return proxy.defaults();
  const document = readDocument(text);
  if (!document.ok) throw new Error(`the stored configuration of the proxy cannot be read: ${document.problem}`);
  if (!proxy.apiVersions.includes(document.document.apiVersion)) {
    throw new Error(
      `the stored configuration of the proxy has the version ${document.document.apiVersion}, which is not known`,
    );
  }
  const read = proxy.read(document.document, { lenient: true });
  const value = read.ok ? proxy.from(read.document) : undefined;
  if (value === undefined)
    throw new Error(`the stored configuration of the proxy is wrong: ${read.ok ? "" : read.problems.join("; ")}`);
  return value;
}
