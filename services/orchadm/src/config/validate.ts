import { readConfigurations } from "@orch/component-config/read-configurations.js";
import { componentKinds, kindsOf } from "../configuration/read-file.js";
import type { Tools } from "../world.js";

export interface Verdict {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Looks at every document strictly: a field that nobody knows is a problem here, and a warning to `init` and `join`. Documents
 * of kinds that nobody here knows are passed over with a warning.
 */
export function validate(text: string, tools: Pick<Tools, "naming" | "version">): Verdict {
  const own = Object.values(kindsOf(tools));
  const read = readConfigurations(text, [...own, ...Object.values(componentKinds(tools))], { ignoresOthers: true });
  if (!read.ok) return { problems: read.problems, warnings: [] };
  const names = own.map(({ kind }) => kind).join(", ");
  return {
    problems: read.documents.length > 0 ? [] : [`no document of a kind that is known was found: ${names}`],
    warnings: read.warnings,
  };
}
