import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import { intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { configurationsWithoutFile, type PluginConfigurations, parsePluginConfigurations } from "./configurations.js";
import { pluginNames } from "./plugin-names.js";

const names = (usual: boolean): string =>
  [...pluginNames].flatMap(([name, plugin]) => (plugin.usual === usual ? [name] : [])).join(", ");

/** As the reference. */
export const usualTolerationSeconds: TolerationSeconds = { notReady: 300, unreachable: 300 };

const tolerated = (what: string, seconds: number) =>
  intFlag(seconds, {
    group: "Admission",
    min: 0,
    max: 2 ** 31 - 1,
    help: `seconds that a pod stays on a node that is ${what}, unless it says itself`,
  });

/** Flags of whatever admits writes; the reference server's names. */
export const admissionFlags = {
  "enable-admission-plugins": listFlag([], {
    group: "Admission",
    help: `admission plugins that run besides those that usually do (${names(true)}), comma separated; the order does not matter: ${names(false)}`,
  }),
  "disable-admission-plugins": listFlag([], {
    group: "Admission",
    help: "admission plugins that do not run although they usually do, comma separated; the order does not matter",
  }),
  "admission-control-config-file": stringFlag("", {
    group: "Admission",
    word: "file",
    help: "AdmissionConfiguration: what admission plugins are configured with",
  }),
  "default-not-ready-toleration-seconds": tolerated("not ready", usualTolerationSeconds.notReady),
  "default-unreachable-toleration-seconds": tolerated("unreachable", usualTolerationSeconds.unreachable),
} as const;

export interface AdmissionSettings {
  /** Of `plugin-names.ts`: what is turned off, and what is off unless it is turned on. */
  readonly disabled: ReadonlySet<string>;
  readonly tolerationSeconds: TolerationSeconds;
  readonly configurations: PluginConfigurations;
}

/** What plugins are made of. */
export type PluginSettings = Pick<AdmissionSettings, "disabled" | "tolerationSeconds" | "configurations">;

/** How long pods stay on nodes in trouble. */
export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

/** The file of the plugins' configurations: its parts by plugin, decoded. */
export interface ConfigurationFile {
  readonly naming: Naming;
  readonly parts: ReadonlyMap<string, unknown>;
}

/** What {@link admissionFlags} say, and the file where there is one. */
export function admissionSettings(
  values: FlagValues<typeof admissionFlags>,
  file?: ConfigurationFile,
): Parsed<AdmissionSettings> {
  const enabled = values["enable-admission-plugins"];
  const disabled = values["disable-admission-plugins"];
  const problems = [
    ...enabled.filter((name) => !pluginNames.has(name)).map((name) => unknown("enable", name)),
    ...disabled.filter((name) => !pluginNames.has(name)).map((name) => unknown("disable", name)),
  ];
  const both = enabled.filter((name) => disabled.includes(name));
  if (both.length > 0) {
    problems.push(`[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  }
  if (problems.length > 0) return { ok: false, problems };
  const off = [...pluginNames].filter(
    ([name, { usual }]) => disabled.includes(name) || !(usual || enabled.includes(name)),
  );
  const disabledNames = new Set(off.map(([name]) => name));
  const runs = (plugin: string): boolean => !disabledNames.has(plugin);
  const configurations =
    file === undefined ? configurationsWithoutFile(runs) : parsePluginConfigurations(file.parts, { ...file, runs });
  if (!configurations.ok) return configurations;
  return {
    ok: true,
    value: {
      disabled: disabledNames,
      tolerationSeconds: {
        notReady: values["default-not-ready-toleration-seconds"],
        unreachable: values["default-unreachable-toleration-seconds"],
      },
      configurations: configurations.value,
    },
  };
}

function unknown(verb: "enable" | "disable", name: string): string {
  return `${verb}-admission-plugins plugin ${JSON.stringify(name)} is unknown`;
}
