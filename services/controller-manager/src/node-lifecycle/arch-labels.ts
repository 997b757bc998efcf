import type { Naming } from "@orch/naming/naming.js";
import type { SeenNode } from "../seen/node.js";

/** The labels of a node's system and processor, in their older and newer names. */
export function archLabels(naming: Naming) {
  const names = ["os", "arch"].map((part) => ({ from: `beta.${naming.key(part)}`, to: naming.key(part) }));
  return {
    /** Those that say less than the older ones; undefined where none does. */
    missing({ metadata: { labels = {} } }: SeenNode): Readonly<Record<string, string>> | undefined {
      const wanted = names.flatMap(({ from, to }) => {
        const value = labels[from];
        return value === undefined || labels[to] === value ? [] : [[to, value] as const];
      });
      return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
    },
  };
}
