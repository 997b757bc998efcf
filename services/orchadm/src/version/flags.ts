import { enumFlag } from "@orch/runtime/flags/flag-types.js";
import { version } from "@orch/runtime/version.js";

export const versionFlags = {
  output: enumFlag(["text", "short", "yaml", "json"], "text", { help: "form of what is printed (-o)" }),
} as const;

/** What this build is, without what concerns others. */
export function buildVersion() {
  const { release: _, ...rest } = version;
  return rest;
}
