import type { Naming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import { readProxy } from "./configuration-file.js";
import { thisMachine } from "./machine.js";
import { type ProxySettings, proxySettings } from "./settings.js";
import { type BackendDeps, usableSides } from "./sides.js";

/** A proxy within another program: what it acts by, and the configuration as `/configz` shows it. */
export interface OwnProxy {
  readonly settings: ProxySettings;
  readonly configText: string;
  readonly backends: BackendDeps;
}

export interface OwnProxyFlags {
  readonly mode: ProxySettings["mode"];
  /** Path of its configuration; empty for the default one. */
  readonly file: string;
}

type Read =
  | { readonly ok: true; readonly value: OwnProxy }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Refuses a mode that this machine cannot be served in. */
export async function ownProxy(
  { mode, file }: OwnProxyFlags,
  deps: { readonly naming: Naming; readonly read: (path: string) => string; readonly backends: BackendDeps },
): Promise<Read> {
  const { naming, backends } = deps;
  const refused = (problem: string): Read => ({ ok: false, problems: [problem] });
  let documents: readonly string[];
  try {
    documents = file === "" ? [] : [deps.read(file)];
  } catch (error) {
    return refused(messageOf(error));
  }
  const configuration = readProxy(documents, { "proxy-mode": mode }, { naming, windows: false });
  if (!configuration.ok) return configuration;
  const chosen = proxySettings(configuration.config, thisMachine());
  if (!chosen.ok) return refused(chosen.problem);
  try {
    await usableSides(chosen.settings, backends, () => {});
  } catch (error) {
    return refused(messageOf(error));
  }
  return { ok: true, value: { settings: chosen.settings, configText: configuration.text, backends } };
}
