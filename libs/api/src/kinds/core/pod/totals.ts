import { nanoOf } from "@orch/schema/formats/quantity.js";
import { sumOf } from "../../../quota/amounts.js";
import type { Resources } from "../resources.js";
import type { Container, PodSpec } from "./types.js";

/** What something asks for, and what it may use at most. */
export interface Usage {
  readonly requests: Resources;
  readonly limits: Resources;
}

/**
 * What a pod uses as a whole: its containers together with the init containers that go on running, or one init
 * container beside those that were started before it, where that is more.
 */
export function podTotals(spec: PodSpec): Usage {
  return { requests: totalOf(spec, "requests"), limits: totalOf(spec, "limits") };
}

function totalOf({ containers = [], initContainers = [] }: PodSpec, part: keyof Usage): Resources {
  const total = new Map<string, string>();
  const running = new Map<string, string>();
  const starting = new Map<string, string>();
  for (const container of containers) add(total, partOf(container, part));
  for (const container of initContainers) {
    const amounts = partOf(container, part);
    // Only what this container has needs a look: the running ones were there before, and `starting` holds them.
    if (container.restartPolicy === "Always") {
      add(total, amounts);
      add(running, amounts);
      raise(
        starting,
        amounts.map(([name, amount]) => [name, running.get(name) ?? amount] as const),
      );
    } else {
      raise(
        starting,
        amounts.map(([name, amount]) => [name, sumOf(running.get(name), amount)] as const),
      );
    }
  }
  raise(total, starting);
  return Object.fromEntries(total);
}

type Amounts = Iterable<readonly [name: string, amount: string]>;

function partOf({ resources }: Container, part: keyof Usage): readonly (readonly [string, string])[] {
  return Object.entries(resources?.[part] ?? {});
}

function add(total: Map<string, string>, amounts: Amounts): void {
  for (const [name, amount] of amounts) total.set(name, sumOf(total.get(name), amount));
}

function raise(least: Map<string, string>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const known = least.get(name);
    if (known === undefined || nanoOf(amount) > nanoOf(known)) least.set(name, amount);
  }
}
