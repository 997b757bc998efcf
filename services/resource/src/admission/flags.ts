import type { Parsed } from "@orch/auth/parsed.js";
import { listFlag } from "@orch/runtime/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags.js";

/** Plugins of this build, and whether each runs where no flag says otherwise. */
const plugins: ReadonlyMap<string, boolean> = new Map([
  ["ServiceAccount", true],
  ["NodeRestriction", true],
]);

/** Plugins whose work the server always does. */
const always: ReadonlySet<string> = new Set(["NamespaceLifecycle"]);

const known = [...plugins.keys()].join(", ");

/** Flags of whatever admits writes; the reference server's names. */
export const admissionFlags = {
  "enable-admission-plugins": listFlag([], {
    group: "Admission",
    help: `admission plugins that run besides those that always do, comma separated: ${known}`,
  }),
  "disable-admission-plugins": listFlag([], {
    group: "Admission",
    help: `admission plugins that do not run, comma separated: ${known}`,
  }),
} as const;

/** What {@link admissionFlags} turn off, and what is off unless they turn it on. */
export function disabledPlugins(values: FlagValues<typeof admissionFlags>): Parsed<ReadonlySet<string>> {
  const enabled = values["enable-admission-plugins"];
  const disabled = values["disable-admission-plugins"];
  const problems = [
    ...enabled.filter((name) => !plugins.has(name) && !always.has(name)).map((name) => unknown("enable", name)),
    ...disabled.filter((name) => !plugins.has(name) && !always.has(name)).map((name) => unknown("disable", name)),
    ...disabled.filter((name) => always.has(name)).map((name) => `admission plugin ${name} cannot be disabled`),
  ];
  const both = enabled.filter((name) => disabled.includes(name));
  if (both.length > 0) {
    problems.push(`[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  }
  if (problems.length > 0) return { ok: false, problems };
  const off = [...plugins].filter(([name, usual]) => disabled.includes(name) || !(usual || enabled.includes(name)));
  return { ok: true, value: new Set(off.map(([name]) => name)) };
}

function unknown(verb: "enable" | "disable", name: string): string {
  return `${verb}-admission-plugins plugin ${JSON.stringify(name)} is unknown`;
}
