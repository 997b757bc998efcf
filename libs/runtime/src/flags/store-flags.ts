import { createNaming, dialects, type Naming } from "@orch/naming/naming.js";
import { durationFlag, listFlag, stringFlag } from "./flag-types.js";
import type { FlagValues } from "./flags.js";

/** Flags of a process that opens an etcd store; the reference server's names. */
export const etcdFlags = {
  "etcd-servers": listFlag([], { group: "Store", help: "etcd endpoints, scheme://host:port, comma separated" }),
  "etcd-servers-overrides": listFlag([], {
    group: "Store",
    help: "resources that are stored in an etcd of their own, each as group/resource#server;server; the same in every service of a cluster (core resources: /events#…)",
  }),
  "etcd-prefix": stringFlag("/orch", {
    group: "Store",
    help: "root of the keys; the same in every service of a cluster",
  }),
  "etcd-cafile": stringFlag("", { group: "Store", word: "file", help: "certificate authority of the etcd servers" }),
  "etcd-certfile": stringFlag("", { group: "Store", word: "file", help: "client certificate for etcd" }),
  "etcd-keyfile": stringFlag("", { group: "Store", word: "file", help: "key of the client certificate for etcd" }),
  "etcd-username": stringFlag("", {
    group: "Store",
    help: "user of etcd; the password comes from --etcd-password-file",
  }),
  "etcd-password-file": stringFlag("", { group: "Store", word: "file", help: "file with the etcd user's password" }),
  "etcd-compaction-interval": durationFlag(60_000, {
    group: "Store",
    help: "how often history is compacted; 0 leaves it to others",
  }),
} as const;

/** What {@link etcdFlags} say, with the files read. */
export interface EtcdSettings {
  readonly endpoints: readonly string[];
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly auth?: { readonly username: string; readonly password: string };
}

/** `read` reads a file; its error names the file. */
export function etcdSettings(
  values: Omit<FlagValues<typeof etcdFlags>, "etcd-servers-overrides">,
  read: (path: string) => Buffer,
): EtcdSettings {
  const file = <K extends string>(name: K, path: string): { [N in K]?: Buffer } =>
    (path === "" ? {} : { [name]: read(path) }) as { [N in K]?: Buffer };
  const tls = {
    ...file("ca", values["etcd-cafile"]),
    ...file("cert", values["etcd-certfile"]),
    ...file("key", values["etcd-keyfile"]),
  };
  const secure = Object.keys(tls).length > 0 || values["etcd-servers"].some((e) => e.startsWith("https://"));
  const username = values["etcd-username"];
  const passwordFile = values["etcd-password-file"];
  const password = passwordFile === "" ? "" : read(passwordFile).toString("utf8").trim();
  return {
    endpoints: values["etcd-servers"],
    ...(secure ? { tls } : {}),
    ...(username === "" ? {} : { auth: { username, password } }),
  };
}

/**
 * Which dialect the data of a store must be of, and by which keys data tells that has no identity yet: the namespaces
 * that only that dialect's clusters have.
 */
export function expectedDialect({ dialect, storePrefix }: Naming): {
  readonly dialect: string;
  readonly signs: Readonly<Record<string, readonly string[]>>;
} {
  const namespaces = (of: (typeof dialects)[number]): readonly string[] => {
    const own = createNaming(of, { storePrefix }).systemNamespaces.filter((name) => name !== "default");
    return own.map((name) => `${storePrefix}namespaces/${name}`);
  };
  return { dialect, signs: Object.fromEntries(dialects.map((of) => [of, namespaces(of)])) };
}
