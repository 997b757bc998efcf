/**
 * What a rule costs to compile, to keep and to run: `node --expose-gc libs/cel/dist/rule.bench.js`. Prints µs, the best
 * of some rounds, and bytes a rule.
 */
import { t } from "./check/types.js";
import { createEnvironment } from "./environment.js";
import { compileExpression } from "./program.js";
import { dynamicValue } from "./schema/values.js";

const text =
  "self.spec.replicas <= 5 && self.metadata.name.startsWith('x') && self.spec.template.spec.containers.all(c, c.image.matches('^[a-z]'))";
const containers = ["a", "b", "c"].map((name) => ({ name, image: `${name}:1` }));
const object = { metadata: { name: "xa" }, spec: { replicas: 3, template: { spec: { containers } } } };
const env = createEnvironment({ dialect: "kubernetes", variables: new Map([["self", t.dyn]]) });

const rounds = 9;

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

const made = compileExpression(text, env);
if (!made.ok) throw new Error(made.display);
const self = dynamicValue(object);
const run = micros(() => made.program.run(() => self), 20_000);
const compile = micros(() => compileExpression(text, env), 500);

const count = 1000;
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const kept = Array.from({ length: count }, () => compileExpression(text, env));
globalThis.gc?.();
const bytes = (process.memoryUsage().heapUsed - before) / kept.length;

process.stdout.write(
  `run ${run.toFixed(2)} µs\ncompile ${compile.toFixed(1)} µs\nkept ${Math.round(bytes)} bytes a rule\n`,
);
