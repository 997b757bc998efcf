import { enumFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";

const file = { word: "file" } as const;

export const printFlags = {
  "component-configs": listFlag([], { help: "kinds of components whose defaults are printed as well" }),
} as const;

export const migrateFlags = {
  "old-config": stringFlag("", { ...file, help: "the file in an older version" }),
  "new-config": stringFlag("", { ...file, help: "where the new one is written; standard output where empty" }),
} as const;

export const validateFlags = {
  config: stringFlag("", { ...file, help: "the file to look at" }),
} as const;

const imageFlags = {
  config: stringFlag("", { ...file, help: "configuration file whose ClusterConfiguration says which images" }),
  "image-repository": stringFlag("", { word: "registry", help: "where images come from" }),
  "kubernetes-version": stringFlag("", { word: "version", help: "of the control plane; this program's where empty" }),
} as const;

export const imageListFlags = {
  ...imageFlags,
  output: enumFlag(["text", "json", "yaml"], "text", { help: "form of the list (-o)" }),
} as const;

export const imagePullFlags = {
  ...imageFlags,
  "cri-socket": stringFlag("", { word: "socket", help: "of the container runtime that pulls them" }),
} as const;
