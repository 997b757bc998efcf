import { messageOf, type Rejection } from "../framework/status.js";

export interface FitError {
  readonly nodes: number;
  /** What refused the pod before any node was looked at. */
  readonly before?: Rejection | undefined;
  readonly rejections: readonly (Rejection | undefined)[];
  /** Of nodes without one of their own. */
  readonly absent?: Rejection | undefined;
  readonly postFilter?: string;
}

/**
 * Why no node fits: each reason with the number of nodes that have it, in the order of the texts.
 *
 * `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …`
 */
export function fitErrorText({ nodes, before, rejections, absent, postFilter = "" }: FitError): string {
  const head = `0/${nodes} nodes are available:`;
  const middle = before === undefined ? countedReasons(rejections, absent, nodes) : messageOf(before);
  return [head, middle === "" ? "" : `${middle}.`, postFilter].filter((part) => part !== "").join(" ");
}

function countedReasons(
  rejections: readonly (Rejection | undefined)[],
  absent: Rejection | undefined,
  nodes: number,
): string {
  // First by rejection: thousands of nodes share a few of them.
  const byRejection = new Map<Rejection, number>();
  let own = 0;
  let [last, run]: [Rejection | undefined, number] = [undefined, 0];
  for (const rejection of rejections) {
    if (rejection === undefined) continue;
    own += 1;
    if (rejection !== last) {
      if (last !== undefined) byRejection.set(last, (byRejection.get(last) ?? 0) + run);
      [last, run] = [rejection, 0];
    }
    run += 1;
  }
  if (last !== undefined) byRejection.set(last, (byRejection.get(last) ?? 0) + run);
  if (absent !== undefined && own < nodes) byRejection.set(absent, (byRejection.get(absent) ?? 0) + nodes - own);
  const counts = new Map<string, number>();
  for (const [{ reasons }, count] of byRejection) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort(byBytes)
    .join(", ");
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
