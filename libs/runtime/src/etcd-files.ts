import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { FlagValues } from "./flags/flags.js";
import { type EtcdSettings, type etcdFlags, etcdSettings } from "./flags/store-flags.js";
import { type ReloadDeps, reloadedFiles } from "./tls-files.js";

type EtcdTls = NonNullable<EtcdSettings["tls"]>;

export interface FollowedEtcdSettings extends Omit<EtcdSettings, "tls"> {
  /** What its files hold now. */
  readonly tls?: () => EtcdTls;
}

/**
 * What {@link etcdFlags} say, with files of certificates that are looked at again each second: a new connection is made with
 * what they hold then. A pair that does not belong together keeps the one before.
 * @throws Error that names a file
 */
export async function followedEtcdSettings(
  values: Omit<FlagValues<typeof etcdFlags>, "etcd-servers-overrides">,
  deps: ReloadDeps,
): Promise<FollowedEtcdSettings> {
  const { tls, ...settings } = etcdSettings(values, (path) => readFileSync(path));
  if (tls === undefined) return settings;
  const flags = { ca: values["etcd-cafile"], cert: values["etcd-certfile"], key: values["etcd-keyfile"] };
  const named = Object.entries(flags).filter(([, path]) => path !== "");
  const files = await reloadedFiles<EtcdTls>({
    ...deps,
    paths: named.map(([, path]) => path),
    make(texts) {
      const made: EtcdTls = Object.fromEntries(named.map(([name], i) => [name, Buffer.from(texts[i] ?? "")]));
      createSecureContext(made);
      return made;
    },
  });
  return { ...settings, tls: files.current };
}
