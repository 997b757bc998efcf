import type { Container, PodSpec } from "@orch/api/kinds/core/pod/types.js";
import type { Resources } from "@orch/api/kinds/core/resources.js";
import { formatQuantity, nanoOf, parseQuantity } from "@orch/schema/formats/quantity.js";
import type { Usage } from "./types.js";

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
        amounts.map(([name, amount]) => [name, sum(running.get(name), amount)] as const),
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
  for (const [name, amount] of amounts) total.set(name, sum(total.get(name), amount));
}

function raise(least: Map<string, string>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const known = least.get(name);
    if (known === undefined || nanoOf(amount) > nanoOf(known)) least.set(name, amount);
  }
}

/** In the form of the first, as long as that is not zero. */
function sum(a: string | undefined, b: string): string {
  const [x, y] = [parseQuantity(a ?? "0"), parseQuantity(b)];
  if (typeof x === "string" || x.nano === 0n) return b;
  if (typeof y === "string") return a ?? b;
  return formatQuantity({ nano: x.nano + y.nano, form: x.form });
}
