import { boolFlag, durationFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";

const group = "Cluster";
const dayMs = 24 * 3_600_000;

export const accessFlags = {
  kubeconfig: stringFlag("", {
    ...{ group, word: "file" },
    help: "client configuration of an administrator; admin.conf of this machine where empty",
  }),
} as const;

export const outputFlag = {
  output: stringFlag("text", { word: "format", help: "text, json, yaml or jsonpath=TEMPLATE (-o)" }),
} as const;

export const createFlags = {
  ...accessFlags,
  config: stringFlag("", { word: "file", help: "configuration file whose InitConfiguration names the tokens" }),
  ttl: durationFlag(dayMs, { help: "how long the token is good for; 0 is for ever" }),
  usages: listFlag([], { help: "what it may be used for: signing, authentication; both where absent" }),
  groups: listFlag([], {
    help: "groups of who comes with it: system:bootstrappers:…; those of nodes that join where absent",
  }),
  description: stringFlag("", { help: "what it is for" }),
  "print-join-command": boolFlag(false, { help: "print the whole command by which a machine joins" }),
  "certificate-key": stringFlag("", {
    word: "hex",
    help: "with --print-join-command: that of a control plane machine, with the key of the uploaded certificates",
  }),
  "dry-run": boolFlag(false, { help: "change nothing: tell what would be made" }),
} as const;

export const listFlags = { ...accessFlags, ...outputFlag } as const;
export const deleteFlags = {
  ...accessFlags,
  "dry-run": boolFlag(false, { help: "change nothing: tell what would be deleted" }),
} as const;
