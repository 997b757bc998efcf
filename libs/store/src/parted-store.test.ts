import assert from "node:assert/strict";
import { test } from "node:test";
import { createPartedStore } from "./parted-store.js";
import { noRevision } from "./revision.js";
import { drive } from "./testing/drive.js";
import { openMemoryFixture } from "./testing/memory-fixture.js";

test("a transaction is of one part, and one that would be of two is not made", async (t) => {
  const [main, part] = await Promise.all([openMemoryFixture(), openMemoryFixture()]);
  t.after(() => Promise.all([main.cleanup(), part.cleanup()]));
  const d = drive(
    createPartedStore(main.store, [{ prefixes: [drive(part.store, `${part.prefix}own/`).prefix], store: part.store }]),
    main.prefix,
  );
  const change = (name: string) => ({ key: d.key(name), expected: noRevision, value: Buffer.from(name) });
  assert.equal(part.prefix, main.prefix);
  const { transactions } = d.store;
  assert.ok(transactions);
  assert.equal((await transactions.commit([change("a"), change("b")])).done, true);
  assert.equal((await transactions.commit([change("own/a"), change("own/b")])).done, true);
  await assert.rejects(transactions.commit([change("c"), change("own/c")]), { reason: "ServiceUnavailable" });
  assert.equal(await drive(main.store, main.prefix).list(), "a=a b=b");
  assert.equal(await drive(part.store, part.prefix).list(), "own/a=own/a own/b=own/b");
  const without = { ...main.store, transactions: undefined };
  assert.equal(createPartedStore(without, [{ prefixes: [], store: without }]).transactions, undefined);
});
