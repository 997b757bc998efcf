import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Sink } from "./sink.js";

const apiVersion = `${createNaming("kubernetes").group("audit")}/v1`;

/** A sink before something that a test can look into, switch off and fill. */
export interface SinkBed {
  readonly sink: Sink;
  /** The ids of the events that have arrived, in order; a repeated one as often as it came. */
  arrived(): Promise<readonly string[]>;
  /** From now on nothing is taken; until it is given back. Undefined where that cannot be. */
  readonly cutOff?: (() => Promise<() => Promise<void>>) | undefined;
}

export const eventLine = (id: string, more = ""): Buffer =>
  Buffer.from(
    `{"kind":"Event","apiVersion":"${apiVersion}","level":"Metadata","auditID":"${id}","stage":"ResponseComplete","verb":"get","user":{"username":"ann"}${more}}`,
  );

/** What every sink does. */
export function testSink(name: string, make: (t: TestContext) => Promise<SinkBed>, skip: string | false = false): void {
  const options = { skip };

  test(`${name}: events arrive in their order`, options, async (t) => {
    const { sink, arrived } = await make(t);
    const ids = Array.from({ length: 200 }, (_, i) => `e${i}`);
    for (let i = 0; i < ids.length; i += 40) {
      const batch = ids.slice(i, i + 40).map((id) => eventLine(id));
      assert.deepEqual(await sink.write(batch), { outcome: "written" });
    }
    assert.deepEqual(await arrived(), ids);
  });

  test(`${name}: an event of a megabyte and one of odd letters arrive`, options, async (t) => {
    const { sink, arrived } = await make(t);
    const large = eventLine("large", `,"requestObject":${JSON.stringify("ä\u2028\u0001".repeat(100_000))}`);
    assert.equal((await sink.write([large, eventLine("odd", ',"userAgent":"\\u0000\\"\\\\"')])).outcome, "written");
    assert.deepEqual(await arrived(), ["large", "odd"]);
  });

  test(`${name}: what cannot be written is told, and works again later`, options, async (t) => {
    const { sink, arrived, cutOff } = await make(t);
    if (cutOff === undefined) {
      t.skip("it cannot be cut off");
      return;
    }
    assert.equal((await sink.write([eventLine("a")])).outcome, "written");
    const giveBack = await cutOff();
    const failed = await sink.write([eventLine("b")]);
    assert.equal(failed.outcome, "failed");
    await giveBack();
    assert.equal((await sink.write([eventLine("b")])).outcome, "written");
    const ids = await arrived();
    assert.deepEqual([...new Set(ids)], ["a", "b"]);
  });
}
