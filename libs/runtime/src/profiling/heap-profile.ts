import type { HeapProfiler } from "node:inspector/promises";
import type { Frame, StackProfile, StackSample } from "./stacks.js";

export type HeapProfileName = "heap" | "allocs";

const rootFrame = "(root)";

const space = {
  heap: { type: "inuse_space", unit: "bytes" },
  allocs: { type: "alloc_space", unit: "bytes" },
} as const;

const comments: Readonly<Record<HeapProfileName, string>> = {
  heap: "memory of the main thread's JavaScript that was allocated while the profile was taken and is still in use, sampled by V8",
  allocs: "all memory that the main thread's JavaScript allocated while the profile was taken, sampled by V8",
};

/** Where memory was allocated, by the estimate that V8 makes of its samples. */
export function stacksOfHeap(
  { head }: HeapProfiler.SamplingHeapProfile,
  name: HeapProfileName,
  periodBytes: number,
): StackProfile {
  const samples: StackSample[] = [];
  const left: { readonly node: HeapProfiler.SamplingHeapProfileNode; readonly outer: readonly Frame[] }[] = [
    { node: head, outer: [] },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, outer } = next;
    const stack = node.callFrame.functionName === rootFrame ? outer : [node.callFrame, ...outer];
    if (node.selfSize > 0) {
      samples.push({ stack: stack.map((frame) => ({ frame })), values: [Math.round(node.selfSize)] });
    }
    for (const child of node.children) left.push({ node: child, outer: stack });
  }
  const of = space[name];
  return {
    types: [of],
    samples,
    period: { of: { type: "space", unit: "bytes" }, value: periodBytes },
    comment: comments[name],
  };
}
