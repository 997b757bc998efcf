import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import type { Clock } from "@orch/runtime/clock.js";
import { followedEtcdSettings } from "@orch/runtime/etcd-files.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { type etcdFlags, expectedDialect } from "@orch/runtime/flags/store-flags.js";
import type { Log } from "@orch/runtime/log.js";
import { claimEtcdIdentity } from "@orch/store/etcd-identity.js";
import { type EtcdStore, openEtcdStore } from "@orch/store/etcd-store.js";
import type { Store } from "@orch/store/store.js";

/** The etcd clusters of a process. */
export interface EtcdStores {
  /** Opens the one that has these members. */
  open(endpoints: readonly string[]): Promise<EtcdStore>;
  /** Takes one for this cluster. @throws StoreRefused where it is another's, or cannot be reached */
  claim(store: Store, endpoints: readonly string[]): Promise<unknown>;
  /** Those that were opened. */
  readonly opened: readonly EtcdStore[];
  readonly condition: EtcdStore["condition"];
}

interface EtcdStoresDeps {
  readonly naming: Naming;
  readonly log: Log;
  readonly clock: Clock;
  readonly egress: Egress | undefined;
}

/**
 * All are reached alike: by the same certificates, user and way out.
 * @throws Error that names a file of certificates
 */
export async function etcdStores(values: FlagValues<typeof etcdFlags>, deps: EtcdStoresDeps): Promise<EtcdStores> {
  const { naming, log, egress } = deps;
  const settings = await followedEtcdSettings(values, deps);
  const prefix = naming.storePrefix;
  const expected = expectedDialect(naming);
  const opened: EtcdStore[] = [];
  return {
    async open(endpoints) {
      const store = await openEtcdStore({ ...settings, endpoints, prefix, logger: log, dial: egress?.through("etcd") });
      opened.push(store);
      return store;
    },
    claim: (store, endpoints) => claimEtcdIdentity({ store, prefix, expected, endpoints }),
    opened,
    condition: {
      get full() {
        return opened.some(({ condition }) => condition.full);
      },
    },
  };
}
