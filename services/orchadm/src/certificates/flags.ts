import { durationFlag, enumFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { configFlag } from "../init/flags.js";

export const certificateFlags = {
  ...configFlag,
  "cert-dir": stringFlag("", {
    ...{ group: "Machine", word: "folder" },
    help: "where certificates lie; where the configuration says, where empty",
  }),
} as const;

export const expirationFlags = {
  ...certificateFlags,
  output: enumFlag(["text", "json", "yaml"], "text", { group: "Run", help: "form of the answer; -o for short" }),
} as const;

export const requestFlags = {
  ...certificateFlags,
  "kubeconfig-dir": stringFlag("", {
    ...{ group: "Machine", word: "folder" },
    help: "where client configurations are written; /etc/orch where empty",
  }),
} as const;

const yearMs = 8760 * 3600_000;

export const userFlags = {
  ...certificateFlags,
  "client-name": stringFlag("", { group: "User", word: "name", help: "of the user" }),
  org: listFlag([], { group: "User", help: "groups of the user" }),
  token: stringFlag("", { group: "User", word: "token", help: "by which the user is known, instead of a certificate" }),
  "validity-period": durationFlag(yearMs, { group: "User", help: "how long the certificate is good for" }),
} as const;
