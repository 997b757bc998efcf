import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import type { Plugin } from "../framework/plugin.js";
import { skip } from "../framework/status.js";
import { amountOf, isScalar } from "../model/amounts.js";

/** Nodes on which the used shares of the resources are alike, of what pods really ask for. */
export function balancedAllocation({ resources }: ArgumentsOf<"NodeResourcesBalancedAllocation">): Plugin {
  return {
    name: "NodeResourcesBalancedAllocation",
    preScore: ({ pod }) => {
      const asked = resources.map(({ name }) => ({ name, amount: amountOf(pod.requests, name) }));
      if (asked.every(({ amount }) => amount === 0)) return skip;
      const counted = asked.filter(({ name, amount }) => amount > 0 || !isScalar(name));
      const [first, second] = counted;
      if (counted.length === 2 && first?.name === "cpu" && second?.name === "memory") {
        const [cpu, memory] = [first.amount, second.amount];
        return {
          score: ({ allocatable, requested }) =>
            allocatable.cpu === 0 || allocatable.memory === 0
              ? balanceOf([])
              : balanceOfTwo(
                  Math.min(1, (requested.cpu + cpu) / allocatable.cpu),
                  Math.min(1, (requested.memory + memory) / allocatable.memory),
                ),
        };
      }
      return {
        score: ({ allocatable, requested }) =>
          balanceOf(
            counted.flatMap(({ name, amount }) => {
              const has = amountOf(allocatable, name);
              return has === 0 ? [] : [Math.min(1, (amountOf(requested, name) + amount) / has)];
            }),
          ),
      };
    },
    score: "prepared",
  };
}

const balanceOfTwo = (a: number, b: number): number => Math.trunc((1 - Math.abs((a - b) / 2)) * 100);

/** 100 × (1 − the standard deviation of shares). */
export function balanceOf(shares: readonly number[]): number {
  const [a = 0, b = 0] = shares;
  if (shares.length < 2) return 100;
  if (shares.length === 2) return balanceOfTwo(a, b);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  return Math.trunc((1 - Math.sqrt(squares / shares.length)) * 100);
}
