import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openBed } from "../testing/bed.js";
import { http, inside, local, narrow, node, repairOf, rounds } from "../testing/narrow.js";
import { claimed, inUse, type ServiceClient, serviceClient } from "../testing/services.js";

type Op = {
  readonly type: "create" | "update" | "remove";
  readonly name: string;
  readonly spec: object;
  /** Of which replica it is asked. */
  readonly second: boolean;
};

const asked = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 4 }).map((n) => ({ clusterIP: `10.0.0.${n}` })),
);
const askedPort = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 30_000, max: 30_003 }).map((nodePort) => ({ nodePort })),
);
const spec = fc
  .tuple(fc.constantFrom(inside, node, local), asked, askedPort)
  .map(([base, address, port]) =>
    base === inside ? { ...base, ...address } : { ...base, ...address, ports: [{ ...http, ...port }] },
  );
const op: fc.Arbitrary<Op> = fc.record({
  type: fc.constantFrom("create" as const, "create" as const, "update" as const, "remove" as const),
  name: fc.constantFrom("a", "b", "c", "d", "e"),
  spec,
  second: fc.boolean(),
});

test("however writes of two replicas cross, no number has two services, and what is claimed is what they have", async (t) => {
  const bed = await openBed(t, "kubernetes");
  const options = { allocation: narrow, random: Math.random };
  const replicas = [await bed.start(options), await bed.start(options)].map(serviceClient);
  const run = ({ type, name, spec, second }: Op) => {
    const at = replicas[second ? 1 : 0] as ServiceClient;
    return type === "create" ? at.create(name, spec) : type === "update" ? at.update(name, spec) : at.remove(name);
  };
  let written = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(op, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      async (waves) => {
        for (const wave of waves) {
          written += (await Promise.all(wave.map(run))).filter((outcome) => outcome.done).length;
          const used = (await inUse(bed.store, bed.naming)).map((line) => line.split(" ")[0]);
          assert.equal(new Set(used).size, used.length, used.join());
          assert.deepEqual(await claimed(bed.store, bed.naming), await inUse(bed.store, bed.naming));
        }
      },
    ),
    { numRuns: 25 },
  );
  assert.ok(written > 20, `only ${written} writes were done`);
  const told: string[] = [];
  await rounds(repairOf(bed, told), 5);
  assert.deepEqual(told, [], "nothing to repair");
});
