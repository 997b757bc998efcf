import { randomUUID } from "node:crypto";
import type { Fixture } from "../conformance/conformance-fixture.js";
import { type EtcdStoreOptions, openEtcdStore } from "../etcd-store.js";

/** A store under a prefix of its own in an etcd that several tests share. */
export async function openEtcdFixture(options: Omit<EtcdStoreOptions, "prefix">): Promise<Fixture> {
  const prefix = `/${randomUUID()}/`;
  let store = await openEtcdStore({ ...options, prefix });
  return {
    store,
    prefix,
    async reopen() {
      await store.close();
      store = await openEtcdStore({ ...options, prefix });
      return store;
    },
    cleanup: () => store.close(),
  };
}
