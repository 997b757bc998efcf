import type { Parsed } from "@orch/auth/parsed.js";
import { isObject } from "@orch/schema/descriptor.js";

export interface PodNodeSelectorConfiguration {
  /** Of namespaces that do not say. */
  readonly clusterDefault: string;
  /** By namespace: the only labels that its pods may choose nodes by; any where there are none. */
  readonly allowed: Readonly<Record<string, string>>;
}

export const usualPodNodeSelector: PodNodeSelectorConfiguration = { clusterDefault: "", allowed: {} };

const root = "podNodeSelectorPluginConfig";

/** Reads the plugin's part of the admission configuration, decoded already: one map of texts. */
export function parsePodNodeSelectorConfiguration(file: unknown): Parsed<PodNodeSelectorConfiguration> {
  const given = isObject(file) ? (file[root] ?? {}) : (file ?? {});
  if (!isObject(given)) return { ok: false, problems: [`${root}: must be an object`] };
  const entries = Object.entries(given);
  const texts = entries.flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : []));
  if (texts.length < entries.length) {
    const wrong = entries.filter(([, text]) => typeof text !== "string");
    return { ok: false, problems: wrong.map(([name]) => `${root}.${name}: must be a string`) };
  }
  const { clusterDefaultNodeSelector = "", ...allowed } = Object.fromEntries(texts);
  return { ok: true, value: { clusterDefault: clusterDefaultNodeSelector, allowed } };
}
