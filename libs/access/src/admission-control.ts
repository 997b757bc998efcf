import { existsSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { type FileOptions, readConfigurationFile } from "@orch/auth/config/configuration-file.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { fieldError } from "@orch/status/field-error.js";
import { messageOf } from "@orch/status/message-of.js";

/** The parts of plugins in the file of `--admission-control-config-file`, decoded; the first of a name counts. */
export type PluginParts = ReadonlyMap<string, unknown>;

export interface ControlFileDeps {
  readonly naming: Naming;
  /** Gives a file's text. */
  readonly read: (path: string) => string;
}

type ControlFile = FileOptions<"plugins">;

/** Reads an AdmissionConfiguration, and the files that it names for plugins: their paths are relative to its own. */
export function readAdmissionControl(path: string, { naming, read }: ControlFileDeps): Parsed<PluginParts> {
  const problem = (why: string): Parsed<PluginParts> => ({ ok: false, problems: [why] });
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    const why = messageOf(error);
    return problem(
      `failed to read plugin config: unable to read admission control configuration from ${JSON.stringify(path)} [${why}]`,
    );
  }
  const decoded = parseYaml(Buffer.from(text));
  if (!decoded.ok) return problem(`failed to read plugin config: ${decoded.problem}`);
  const options: ControlFile = { naming, kind: "AdmissionConfiguration", fields: ["plugins"] };
  const problems: string[] = [];
  const parts = new Map<string, unknown>();
  const file = readConfigurationFile(decoded.value, options, (root) => {
    for (const [i, plugin] of root.objects("plugins", ["name", "path", "configuration"]).entries()) {
      const name = plugin.text("name");
      if (parts.has(name)) continue;
      const given = configurationOf(decoded.value, i);
      const at = plugin.text("path");
      if (given !== undefined) parts.set(name, given);
      else if (at !== "") parts.set(name, partOf(resolve(dirname(path), at), { name, read, problems }));
    }
  });
  if (!file.ok) return { ok: false, problems: file.problems.map((why) => `failed to read plugin config: ${why}`) };
  return problems.length === 0 ? { ok: true, value: parts } : { ok: false, problems };
}

/** A part may be anything: its plugin says what is wrong with it. */
function configurationOf(file: unknown, at: number): unknown {
  const plugins: unknown = file instanceof Object ? Reflect.get(file, "plugins") : undefined;
  const plugin: unknown = Array.isArray(plugins) ? plugins[at] : undefined;
  return plugin instanceof Object ? (Reflect.get(plugin, "configuration") ?? undefined) : undefined;
}

interface PartDeps extends Pick<ControlFileDeps, "read"> {
  readonly name: string;
  readonly problems: string[];
}

function partOf(path: string, { name, read, problems }: PartDeps): unknown {
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    problems.push(`Couldn't open admission plugin configuration ${path}: ${messageOf(error)}`);
    return undefined;
  }
  const decoded = parseYaml(Buffer.from(text));
  if (decoded.ok) return decoded.value;
  problems.push(`couldn't init admission plugin ${JSON.stringify(name)}: ${decoded.problem}`);
  return undefined;
}

/** The client configuration file by whose users webhooks are told who asks; "" where none is named. */
export function parseWebhookAdmission(part: unknown, naming: Naming): Parsed<string> {
  if (part === undefined || part === null) return { ok: true, value: "" };
  const isOlder = part instanceof Object && Reflect.get(part, "kind") === "WebhookAdmission";
  const kind = isOlder ? "WebhookAdmission" : "WebhookAdmissionConfiguration";
  const parsed = readConfigurationFile(part, { naming, kind, fields: ["kubeConfigFile"] }, (root) => {
    const path = root.text("kubeConfigFile");
    if (!isAbsolute(path)) {
      root.refuse(fieldError.invalid(root.pathOf("kubeConfigFile"), path, "must be an absolute file path"));
    }
    return path;
  });
  if (!parsed.ok || existsSync(parsed.value)) return parsed;
  return { ok: false, problems: [`stat ${parsed.value}: no such file or directory`] };
}
