import type { Machine } from "../machine/machine.js";
import type { Paths } from "../machine/paths.js";
import { unitOfManifest } from "../runner/manifest.js";

/** A machine's member of etcd, as its manifest has it. */
export interface OwnEtcd {
  /** As the machine has it. */
  readonly dataDir: string;
  readonly clientUrls: readonly string[];
  readonly peerUrl: string;
}

/** Undefined where the machine has none. */
export function ownEtcd(machine: Machine, paths: Paths): OwnEtcd | undefined {
  const path = paths.manifest("etcd");
  if (!machine.exists(path)) return undefined;
  const { args } = unitOfManifest(machine.read(path));
  const value = (name: string): string =>
    args.findLast((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
  const data = value("data-dir");
  const isBelowRoot = machine.root !== "" && data.startsWith(`${machine.root}/`);
  return {
    dataDir: isBelowRoot ? data.slice(machine.root.length) : data,
    clientUrls: value("listen-client-urls")
      .split(",")
      .filter((url) => url !== ""),
    peerUrl: value("initial-advertise-peer-urls"),
  };
}
