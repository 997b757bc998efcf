import { enumFlag, intFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";

const group = "Global";

/** Every command has these. */
export const commonFlags = {
  rootfs: stringFlag("", {
    group,
    word: "folder",
    help: "the root of the machine's files; that of this machine where empty",
  }),
  "api-dialect": enumFlag(["orch", "kubernetes"], "orch", {
    group,
    help: "names of groups, files and components; the same on every machine of a cluster",
  }),
  v: intFlag(0, { group, min: 0, max: 10, help: "how much is told" }),
} as const;
