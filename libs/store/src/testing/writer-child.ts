/**
 * A process that writes to an embedded store until it is killed, and prints a line for every change
 * that was acknowledged: `<key> <revision> <text>` or `<key> <revision>` for a deletion.
 * Arguments: the data directory, and a word that makes its values unlike those of the runs before.
 */
import { openEmbeddedStore } from "../embedded-store.js";
import { key, noRevision } from "../revision.js";

const [path = "", run = ""] = process.argv.slice(2);
const store = await openEmbeddedStore({ path, prefix: "/", historyMs: 50, intervalMs: 20 });

async function worker(id: number): Promise<void> {
  for (let i = 0; ; i++) {
    const name = key(`/w${id}/${i % 50}`);
    const expected = (await store.get(name))?.revision ?? noRevision;
    const text =
      expected !== noRevision && i % 7 === 0 ? undefined : `${run}-${id}-${i}-${"x".repeat((i * 37) % 3000)}`;
    const swap = await store.swap({ key: name, expected, value: text === undefined ? undefined : Buffer.from(text) });
    if (!swap.done) throw new Error(`worker ${id} was refused`);
    process.stdout.write(`${name} ${swap.revision}${text === undefined ? "" : ` ${text}`}\n`);
  }
}

await Promise.all(Array.from({ length: 16 }, (_, id) => worker(id)));
