import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fixture } from "../conformance/conformance-fixture.js";
import { openEmbeddedStore } from "../embedded-store.js";

/** An embedded store in a new temporary directory. */
export async function openEmbeddedFixture(): Promise<Fixture> {
  const prefix = "/test/";
  const path = await mkdtemp(join(tmpdir(), "orch-store-"));
  let store = await openEmbeddedStore({ path, prefix });
  return {
    store,
    prefix,
    async reopen() {
      await store.close();
      store = await openEmbeddedStore({ path, prefix });
      return store;
    },
    async cleanup() {
      await store.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}
