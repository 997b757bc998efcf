import { t } from "@orch/cel/check/types.js";
import { type CelEnvironment, createEnvironment } from "@orch/cel/environment.js";
import { compileExpression } from "@orch/cel/program.js";
import { dynamicValue } from "@orch/cel/schema/dynamic.js";

const text =
  "self.spec.replicas <= 5 && self.metadata.name.startsWith('x') && self.spec.template.spec.containers.all(c, c.image.matches('^[a-z]'))";
const containers = ["a", "b", "c"].map((name) => ({ name, image: `${name}:1` }));
const object = { metadata: { name: "xa" }, spec: { replicas: 3, template: { spec: { containers } } } };
const rounds = 9;
const kept = 1000;

/** What a rule costs to run, with its cost counted, to compile, and to keep: the best of some rounds. */
export function benchCel(): readonly string[] {
  const env = createEnvironment({ dialect: "kubernetes", variables: new Map([["self", t.dyn]]) });
  const made = compileExpression(text, env);
  if (!made.ok) throw new Error(made.display);
  const self = dynamicValue(object);
  const run = micros(() => made.program.run(() => self), 20_000);
  const compile = micros(() => compileExpression(text, env), 500);
  return [
    `expressions: the sample rule runs in ${run.toFixed(2)} µs (at most 3) and compiles in ${compile.toFixed(0)} µs (at most 200)`,
    ...keeping(env),
  ];
}

/** Memory tells something only after a collection that was asked for. */
function keeping(env: CelEnvironment): readonly string[] {
  const { gc } = globalThis;
  if (gc === undefined) return [`expressions: run node with --expose-gc to see what ${kept} rules take`];
  gc();
  const before = process.memoryUsage().heapUsed;
  const rules = Array.from({ length: kept }, () => compileExpression(text, env));
  gc();
  const mib = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  return [`expressions: ${rules.length} compiled rules take ${mib.toFixed(1)} MiB (at most 10)`];
}

function micros(work: () => unknown, calls: number): number {
  for (let i = 0; i < calls; i++) work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    best = Math.min(best, ((performance.now() - start) / calls) * 1000);
  }
  return best;
}
