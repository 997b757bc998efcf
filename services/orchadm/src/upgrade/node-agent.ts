import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { storedAgentConfiguration } from "../configuration/stored.js";
import { unitName } from "../machine/paths.js";
import { printManifest } from "../manifests/pod.js";
import type { UpgradeContext } from "./context.js";
import { restartUnit } from "./restart.js";

const modeOfConfiguration = 0o644;

/** Gives the agent of this machine's node the configuration that the cluster keeps, and the program of this version. */
export async function upgradeAgent(context: UpgradeContext): Promise<void> {
  const { tools, paths, api, runner, timeoutMs } = context;
  const { machine, print, naming } = tools;
  const agent = naming.configurationWord("agent");
  const file = `${paths.agentData}/config.yaml`;
  const text = await storedAgentConfiguration(api, tools);
  print(`[${agent}-start] Writing agent configuration to file ${JSON.stringify(machine.at(file))}\n`);
  if (!machine.exists(file) || machine.read(file) !== text) machine.write(file, text, { mode: modeOfConfiguration });
  const path = paths.manifest("agent");
  if (!machine.exists(path)) return;
  const before = machine.read(path);
  const wanted = newAgentManifest(before, context);
  if (wanted === before) return;
  machine.write(path, wanted);
  if (!machine.isDry) await restartUnit({ component: "agent" }, wanted, { runner, timeoutMs }, tools);
}

const service = "node-simulator";

/** Its flags are those that it was given when the machine joined; the image and the program are of this version. */
export function newAgentManifest(text: string, { tools, cluster }: Pick<UpgradeContext, "tools" | "cluster">): string {
  const { naming, program, version } = tools;
  const read = parseYaml(Buffer.from(text));
  const spec = read.ok && isObject(read.value) ? read.value["spec"] : undefined;
  const [container]: readonly unknown[] = isObject(spec) && Array.isArray(spec["containers"]) ? spec["containers"] : [];
  if (!read.ok || !isObject(read.value) || !isObject(spec) || !isObject(container)) return text;
  const command: readonly unknown[] = Array.isArray(container["command"]) ? container["command"] : [];
  const at = command.indexOf(service);
  // One of another program is somebody else's.
  if (at < 0) return text;
  const changed: JsonObject = {
    ...container,
    command: [program.command, ...program.args, ...command.slice(at)],
    image: `${cluster.imageRepository}/${unitName(naming, "agent")}:${version}`,
  };
  return printManifest({ ...read.value, spec: { ...spec, containers: [changed] } });
}
