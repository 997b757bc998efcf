import {
  boolFlag,
  durationFlag,
  enumFlag,
  intFlag,
  listFlag,
  stringFlag,
  switchesFlag,
} from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";

const cluster = { group: "Cluster" } as const;
const machine = { group: "Machine" } as const;
const run = { group: "Run" } as const;

export const runners = ["auto", "process", "systemd", "none"] as const;

/** Of whatever changes a machine. */
export const machineFlags = {
  "dry-run": boolFlag(false, { ...run, help: "change nothing: tell every file and object that would be written" }),
  "ignore-preflight-errors": listFlag([], { ...run, help: "checks whose errors are warnings; 'all' for all of them" }),
  "skip-phases": listFlag([], { ...run, help: "phases that are left out: phase, or phase/part" }),
  patches: stringFlag("", {
    ...{ ...machine, word: "folder" },
    help: "files TARGET[SUFFIX][+strategic|merge|json].yaml or .json that change manifests",
  }),
  runner: enumFlag(runners, "auto", {
    ...machine,
    help: "what starts the processes of the manifests: auto is systemd where it runs, else process",
  }),
  "etcd-program": stringFlag("etcd", { ...machine, word: "path", help: "etcd, for a member on this machine" }),
} as const;

export const configFlag = {
  config: stringFlag("", { group: "Run", word: "file", help: "configuration file, of one or several documents" }),
} as const;

export const nodeFlags = {
  "node-name": stringFlag("", {
    ...machine,
    word: "name",
    help: "name of the machine's node; its host name where empty",
  }),
  "cri-socket": stringFlag("", { ...machine, word: "socket", help: "of the container runtime, where there is one" }),
  "apiserver-advertise-address": stringFlag("", {
    ...{ ...machine, word: "address" },
    help: "by which others reach this machine; that of its first interface where empty",
  }),
  "apiserver-bind-port": intFlag(6443, { ...machine, min: 1, max: 65_535, help: "port of the API server" }),
  "certificate-key": stringFlag("", {
    ...{ ...run, word: "hex" },
    help: "key by which uploaded certificates are encrypted: 32 bytes",
  }),
} as const;

export const clusterFlags = {
  "cert-dir": stringFlag("", {
    ...machine,
    word: "folder",
    help: "where certificates lie; the usual folder where empty",
  }),
  "apiserver-cert-extra-sans": listFlag([], {
    ...cluster,
    help: "further names and addresses of the API server's certificate",
  }),
  "control-plane-endpoint": stringFlag("", {
    ...{ ...cluster, word: "host[:port]" },
    help: "a stable name or address of the control plane",
  }),
  "feature-gates": switchesFlag({ ...cluster, help: "features of the bootstrapper, on or off" }),
  "image-repository": stringFlag("", { ...cluster, word: "registry", help: "of the images that manifests name" }),
  "kubernetes-version": stringFlag("", {
    ...cluster,
    word: "version",
    help: "of the control plane; this program's where empty",
  }),
  "pod-network-cidr": stringFlag("", {
    ...cluster,
    word: "cidr[,cidr]",
    help: "network of pods: nodes are given parts of it",
  }),
  "service-cidr": stringFlag("", {
    ...cluster,
    word: "cidr[,cidr]",
    help: "network of services; 10.96.0.0/12 where empty",
  }),
  "service-dns-domain": stringFlag("", { ...cluster, word: "domain", help: "of services; cluster.local where empty" }),
} as const;

export const initFlags = {
  ...configFlag,
  ...nodeFlags,
  ...clusterFlags,
  token: stringFlag("", { ...run, word: "token", help: "by which machines join; a random one where empty" }),
  "token-ttl": durationFlag(24 * 3_600_000, { ...run, help: "how long it is good for; 0 is for ever" }),
  "upload-certs": boolFlag(false, {
    ...run,
    help: "upload certificates, encrypted, for further control plane machines",
  }),
  "skip-certificate-key-print": boolFlag(false, { ...run, help: "do not show the key of the uploaded certificates" }),
  "skip-token-print": boolFlag(false, { ...run, help: "do not show the token" }),
  ...machineFlags,
} as const;

/** Those of a phase may be a part of them. */
export type InitValues = Partial<FlagValues<typeof initFlags>>;
