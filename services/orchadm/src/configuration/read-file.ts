import { readFileSync } from "node:fs";
import { agentConfiguration } from "@orch/component-config/agent/agent.js";
import { bootstrapperConfigurations } from "@orch/component-config/bootstrapper/bootstrapper.js";
import type { ConfigurationKind, Document } from "@orch/component-config/configuration.js";
import { proxyConfiguration } from "@orch/component-config/proxy/proxy.js";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Tools } from "../world.js";
import { machineFacts } from "./facts.js";

/** The kinds of the bootstrapper, with defaults of this machine. */
export const kindsOf = (tools: Pick<Tools, "naming" | "version">) =>
  bootstrapperConfigurations(tools.naming, machineFacts(tools));

/** Kinds that may stand beside those of the bootstrapper. */
export const componentKinds = ({ naming }: Pick<Tools, "naming">) => ({
  agent: agentConfiguration(naming),
  proxy: proxyConfiguration(naming),
});

/**
 * The documents of a file that are of these kinds; others are passed over with a warning.
 * @throws Error with all that is wrong with it
 */
export function readFileOf(
  path: string,
  kinds: readonly ConfigurationKind[],
  tools: Pick<Tools, "printError">,
): readonly Document[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`unable to read config from ${JSON.stringify(path)}: ${messageOf(error)}`, { cause: error });
  }
  // Unknown fields are warned of here; `config validate` refuses them.
  const read = readConfigurations(text, kinds, { ignoresOthers: true, lenient: true });
  if (!read.ok) throw new Error(read.problems.join("\n"));
  for (const warning of read.warnings) tools.printError(`[config] WARNING: ${warning}\n`);
  return read.documents;
}

/** Flags that may stand beside a file. */
const besideFile = new Set([
  "config",
  "ignore-preflight-errors",
  "dry-run",
  "kubeconfig",
  "node-name",
  "upload-certs",
  "print-join-command",
  "rootfs",
  "api-dialect",
  "v",
  "yes",
  "force",
  "runner",
  "etcd-program",
]);

/** @throws Error where a flag says what a file says */
export function refuseMixed(given: ReadonlySet<string>): void {
  if (!given.has("config")) return;
  const mixed = [...given].filter((flag) => !besideFile.has(flag) && !flag.startsWith("skip-")).sort();
  if (mixed.length > 0) throw new Error(`can not mix '--config' with arguments [${mixed.join(" ")}]`);
}
