import assert from "node:assert/strict";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import { revision } from "@orch/store/revision.js";

/** Asks etcd to forget what was before a revision, its newest where none is given, over the JSON form of its own API. */
export async function compactEtcd(endpoint: string, before?: number): Promise<void> {
  const ask = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${endpoint}/v3/kv/${path}`, { method: "POST", body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
  };
  await ask("compaction", { revision: before ?? newest(await ask("range", { key: "eA==" })), physical: true });
}

function newest(answer: unknown): number {
  assert.ok(typeof answer === "object" && answer !== null && "header" in answer);
  const { header } = answer;
  assert.ok(typeof header === "object" && header !== null && "revision" in header);
  return Number(header.revision);
}

/** The same for an embedded store that no process has open. */
export async function compactEmbedded(path: string, prefix: string): Promise<void> {
  const store = await openEmbeddedStore({ path, prefix });
  try {
    await store.compact(revision(await store.revision()));
  } finally {
    await store.close();
  }
}
