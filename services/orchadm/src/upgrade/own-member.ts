import type { X509Certificate } from "node:crypto";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { isObject } from "@orch/schema/descriptor.js";
import { agentSubject, certificateIn } from "../client-configs/client-configs.js";
import type { Machine } from "../machine/machine.js";
import type { Paths } from "../machine/paths.js";
import { unitOfManifest } from "../runner/manifest.js";
import type { Member } from "../site.js";

/** The part that a machine has in its cluster, read off what lies on it. @throws Error where it is in none */
export function ownMember(machine: Machine, paths: Paths): Member {
  const name = nodeNameOf(machine, paths);
  const server = advertised(machine, paths);
  if (server !== undefined) return { name, ...server };
  return { name, advertiseAddress: flagOf(machine, paths.manifest("agent"), "agent-address") ?? "", bindPort: 0 };
}

/** Whether it is one of the control plane. */
export const isControlPlane = (machine: Machine, paths: Paths): boolean => machine.exists(paths.manifest("apiserver"));

function nodeNameOf(machine: Machine, paths: Paths): string {
  const path = paths.clientConfig("agent");
  const certificate = machine.exists(path) ? certificateIn(machine.read(path)) : undefined;
  const name = nodeIn(certificate) ?? flagOf(machine, paths.manifest("agent"), "node-name");
  if (name !== undefined) return name;
  throw new Error(`this machine is no node of a cluster: ${machine.at(path)} names none`);
}

function nodeIn(certificate: X509Certificate | undefined): string | undefined {
  const prefix = agentSubject("").commonName;
  const line = certificate?.subject.split("\n").find((each) => each.startsWith(`CN=${prefix}`));
  return line?.slice(`CN=${prefix}`.length);
}

const endpointKey = "advertise-address.endpoint";

/** The address of the API server as its manifest tells it: `[::1]:6443`. */
function advertised(machine: Machine, paths: Paths): Omit<Member, "name"> | undefined {
  const path = paths.manifest("apiserver");
  if (!machine.exists(path)) return undefined;
  const read = parseYaml(Buffer.from(machine.read(path)));
  const metadata = read.ok && isObject(read.value) ? read.value["metadata"] : undefined;
  const annotations = isObject(metadata) && isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const [, text] = Object.entries(annotations).find(([key]) => key.endsWith(endpointKey)) ?? [];
  const url = typeof text === "string" ? URL.parse(`https://${text}`) : null;
  if (url === null) throw new Error(`${machine.at(path)} has no annotation that ends with ${endpointKey}`);
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  return { advertiseAddress: host, bindPort: Number(url.port || 443) };
}

/** The value of a flag in a manifest, the last one where it stands there twice. */
export function flagOf(machine: Machine, path: string, name: string): string | undefined {
  if (!machine.exists(path)) return undefined;
  const { args } = unitOfManifest(machine.read(path));
  return args.findLast((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
}
