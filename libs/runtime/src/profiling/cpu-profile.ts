import type { Profiler } from "node:inspector/promises";
import type { Frame, StackProfile, StackSample } from "./stacks.js";

/** Frames of V8's that are no code: below the first everything stands, the thread sleeps in the second. */
const rootFrame = "(root)";
const idleFrame = "(idle)";

/** Where V8 saw the thread: each stack with how often it was seen, and the part of the time that this stands for. */
export function stacksOfCpu({ nodes, startTime, endTime }: Profiler.Profile, periodMicros: number): StackProfile {
  const parents = new Map<number, Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const all = nodes.reduce((sum, { hitCount = 0 }) => sum + hitCount, 0);
  // A busy machine lets ticks fall out: those that came stand for the whole time.
  const nanosPerHit = all === 0 ? 0 : ((endTime - startTime) * 1_000) / all;
  const samples = nodes
    .filter(({ hitCount = 0, callFrame }) => hitCount > 0 && callFrame.functionName !== idleFrame)
    .flatMap((node) => {
      const outer = callersOf(node, parents);
      return hitsByLine(node).map(({ line, hits }): StackSample => {
        const stack = [{ frame: node.callFrame, line }, ...outer.map((frame) => ({ frame }))];
        return { stack, values: [hits, Math.round(hits * nanosPerHit)] };
      });
    });
  const time = { type: "cpu", unit: "nanoseconds" } as const;
  return {
    types: [{ type: "samples", unit: "count" }, time],
    samples,
    period: { of: time, value: periodMicros * 1_000 },
    comment:
      "CPU time of the main thread, sampled by V8; (program) is native code, the time in which it slept is left out",
  };
}

function callersOf(node: Profiler.ProfileNode, parents: ReadonlyMap<number, Profiler.ProfileNode>): Frame[] {
  const frames: Frame[] = [];
  for (let at = parents.get(node.id); at !== undefined; at = parents.get(at.id)) {
    if (at.callFrame.functionName !== rootFrame) frames.push(at.callFrame);
  }
  return frames;
}

/** The hits of a node by the line that ran; those of which V8 does not know the line are the function's. */
function hitsByLine({ hitCount = 0, positionTicks = [] }: Profiler.ProfileNode) {
  const known = positionTicks.map(({ line, ticks }) => ({ line, hits: ticks }));
  const rest = hitCount - known.reduce((sum, { hits }) => sum + hits, 0);
  return rest > 0 ? [...known, { line: undefined, hits: rest }] : known;
}
