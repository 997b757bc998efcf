import type { Fixture } from "../conformance/conformance-fixture.js";
import { openMemoryStore } from "../memory/memory-store.js";

/** A store in memory, which cannot be opened again. */
export async function openMemoryFixture(): Promise<Fixture> {
  const store = await openMemoryStore({ prefix: "/test/" });
  return { store, prefix: "/test/", cleanup: () => store.close() };
}
