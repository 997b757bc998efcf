import type { Parsed } from "@orch/auth/parsed.js";
import { intFlag, listFlag } from "@orch/runtime/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags.js";
import type { Log } from "@orch/runtime/log.js";
import { pluginNames } from "./plugin-names.js";

const names = (of: (plugin: { readonly usual: boolean; readonly built: boolean }) => boolean): string =>
  [...pluginNames].flatMap(([name, plugin]) => (of(plugin) ? [name] : [])).join(", ");

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
    help: `admission plugins that run besides those that usually do (${names((p) => p.usual && p.built)}), comma separated; the order does not matter: ${names((p) => !p.usual && p.built)}`,
  }),
  "disable-admission-plugins": listFlag([], {
    group: "Admission",
    help: "admission plugins that do not run although they usually do, comma separated; the order does not matter",
  }),
  "default-not-ready-toleration-seconds": tolerated("not ready", usualTolerationSeconds.notReady),
  "default-unreachable-toleration-seconds": tolerated("unreachable", usualTolerationSeconds.unreachable),
} as const;

export interface AdmissionSettings {
  /** Of `plugin-names.ts`: what is turned off, and what is off unless it is turned on. */
  readonly disabled: ReadonlySet<string>;
  /** Turned on by name, and not built yet: whoever wants them must hear that they do nothing. */
  readonly unbuilt: readonly string[];
  readonly tolerationSeconds: TolerationSeconds;
}

/** How long pods stay on nodes in trouble. */
export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

/** What {@link admissionFlags} say. */
export function admissionSettings(values: FlagValues<typeof admissionFlags>): Parsed<AdmissionSettings> {
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
  return {
    ok: true,
    value: {
      disabled: new Set(off.map(([name]) => name)),
      unbuilt: enabled.filter((name) => pluginNames.get(name)?.built === false),
      tolerationSeconds: {
        notReady: values["default-not-ready-toleration-seconds"],
        unreachable: values["default-unreachable-toleration-seconds"],
      },
    },
  };
}

function unknown(verb: "enable" | "disable", name: string): string {
  return `${verb}-admission-plugins plugin ${JSON.stringify(name)} is unknown`;
}

/** Whoever turns on what is not there must not believe that it works. */
export function warnOfUnbuilt({ unbuilt }: AdmissionSettings, log: Pick<Log, "warn">): void {
  for (const plugin of unbuilt)
    log.warn({ plugin }, "this build has no such admission plugin yet: nothing is admitted or refused by it");
}
