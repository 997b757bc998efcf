import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMetrics } from "../metrics.js";
import { joinFamilies, lastingFamilies } from "./metric-join.js";
import { type Family, type Join, pageText, type Sample } from "./metric-text.js";

const family = (
  name: string,
  samples: Readonly<Record<string, number>>,
  { type = "counter", join = "sum" }: { type?: Family["type"]; join?: Join } = {},
): Family => ({
  name,
  help: `Help of ${name}.`,
  type,
  join,
  samples: Object.entries(samples).map(([labels, value]) => ({ suffix: "", labels, value })),
});
const valuesOf = (families: readonly Family[]): object =>
  Object.fromEntries(
    families.map(({ name, samples }) => [
      name,
      Object.fromEntries([...samples].map((s) => [s.suffix + s.labels, s.value])),
    ]),
  );

const rows: readonly (readonly [join: Join, values: readonly number[], together: number])[] = [
  ["sum", [1, 2, 3], 6],
  ["max", [1, 5, 3], 5],
  ["ever", [0, 1, 0], 1],
  ["first", [7, 1, 9], 7],
];
for (const [join, values, together] of rows) {
  test(`${join} of ${values} is ${together}`, () => {
    const joined = joinFamilies(values.map((value) => [family("a", { "": value }, { type: "gauge", join })]));
    assert.deepEqual(valuesOf(joined), { a: { "": together } });
  });
}

test("series and families that only some processes have are all there, in order", () => {
  const joined = joinFamilies([
    [family("a", { 'x="1"': 1 })],
    [family("b", { "": 4 }), family("a", { 'x="2"': 2, 'x="1"': 10 })],
  ]);
  assert.equal(
    pageText(joined),
    `# HELP a Help of a.
# TYPE a counter
a{x="1"} 11
a{x="2"} 2
# HELP b Help of b.
# TYPE b counter
b 4
`,
  );
});

test("of a process that ended counts and what stays true remain", () => {
  const gauge = { type: "gauge" } as const;
  const ended = [
    family("count", { "": 3 }),
    family("open", { "": 4 }, gauge),
    family("lag", { "": 5 }, { ...gauge, join: "max" }),
    family("asked", { "": 1 }, { ...gauge, join: "ever" }),
    family("seconds", { "": 6 }, { type: "histogram" }),
  ];
  assert.deepEqual(valuesOf(lastingFamilies(ended)), { count: { "": 3 }, asked: { "": 1 }, seconds: { "": 6 } });
});

test("histograms of two registries join bucket by bucket", async () => {
  const observed = async (values: readonly number[]): Promise<readonly Family[]> => {
    const metrics = createMetrics({ release: "1.32", processMetrics: false });
    const spec = { name: "seconds", help: "Time.", stability: "ALPHA", labels: [], buckets: [1, 2] } as const;
    const series = metrics.histogram(spec).with({});
    for (const value of values) series.observe(value);
    return (await metrics.families()).filter(({ name }) => name === "seconds");
  };
  const together = joinFamilies([await observed([0.5, 1.5]), await observed([1.5, 9])]);
  assert.deepEqual(together, await observed([0.5, 1.5, 1.5, 9]));
});

test("a page of sums does not depend on the order of the processes, nor on how they are grouped", () => {
  const process = fc
    .dictionary(fc.constantFrom("a", "b", "c"), fc.dictionary(fc.constantFrom("", 'x="1"', 'x="2"'), fc.nat(1000)))
    .map((names) => Object.entries(names).map(([name, samples]) => family(name, samples)));
  fc.assert(
    fc.property(fc.array(process, { maxLength: 5 }), fc.nat(5), (processes, at) => {
      const whole = valuesOf(joinFamilies(processes));
      assert.deepEqual(valuesOf(joinFamilies(processes.toReversed())), whole);
      const grouped = [joinFamilies(processes.slice(0, at)), joinFamilies(processes.slice(at))];
      assert.deepEqual(valuesOf(joinFamilies(grouped)), whole);
    }),
  );
});

test("the process's own metrics carry their rule: memory adds up, a start time is the first's", async () => {
  const families = await createMetrics({ release: "1.32" }).families();
  const joinOf = (name: string): Join | undefined => families.find((f) => f.name === name)?.join;
  assert.equal(joinOf("process_resident_memory_bytes"), "sum");
  assert.equal(joinOf("process_start_time_seconds"), "first");
  assert.equal(joinOf("nodejs_eventloop_lag_p99_seconds"), "max");
  const spaces = families.find((f) => f.name === "nodejs_heap_space_size_used_bytes")?.samples ?? [];
  assert.ok([...spaces].some((s: Sample) => s.suffix === "" && s.labels === 'space="new"'));
});
