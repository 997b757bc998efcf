import assert from "node:assert/strict";

/**
 * Microseconds of one call. By the clock, whose least of many rounds comes close to the true cost from above: CPU that the
 * kernel counts by ticks can come out as less than it was.
 */
function costOf(work: () => void): number {
  const before = performance.now();
  work();
  return (performance.now() - before) * 1000;
}

/** The least of several rounds: what else the machine does only adds to a round. */
function leastCost(n: number, prepare: (n: number) => () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 4; i++) least = Math.min(least, costOf(prepare(n)));
  return least;
}

/** Of the larger size to the smaller. Sorted work takes some 9 times as long then, quadratic work 64 times. */
const factor = 8;
const most = 24;
/** Microseconds below which what every call costs counts for more than its size. */
const floor = 500;
/** Rounds are added until the least costs show linear work: noise passes, quadratic work stays. */
const attempts = 8;

/**
 * Asserts that work does not grow much faster than its size: eight times as much may take 24 times as long. `prepare`
 * makes what one round works on, which is not counted. `largest` is the larger size, such that quadratic work of it takes
 * some tens of milliseconds.
 */
export function assertLinear(largest: number, prepare: (n: number) => () => unknown): void {
  const smallest = Math.ceil(largest / factor);
  for (let i = 0; i < 3; i++) prepare(smallest)();
  let small = Number.POSITIVE_INFINITY;
  let large = Number.POSITIVE_INFINITY;
  const ratio = (): number => large / Math.max(small, floor);
  for (let i = 0; i < attempts && !(ratio() < most); i++) {
    small = Math.min(small, leastCost(smallest, prepare));
    large = Math.min(large, leastCost(largest, prepare));
  }
  const took = `${smallest} took ${small.toFixed()} µs, ${largest} took ${large.toFixed()} µs`;
  assert.ok(ratio() < most, `${took}: ${ratio().toFixed(1)} times as long`);
}
