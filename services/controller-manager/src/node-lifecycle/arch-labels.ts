import type { Naming } from "@orch/naming/naming.js";
import type { SeenNode } from "../seen/node.js";

/** The labels of a node's system and processor, in their newer names and the older ones, which follow them. */
export function archLabels(naming: Naming) {
  const names = ["os", "arch"].map((part) => ({ from: naming.key(part), to: `beta.${naming.key(part)}` }));
  return {
    /** Older ones that are absent or say something else; undefined where there are none. */
    missing({ metadata: { labels = {} } }: SeenNode): Readonly<Record<string, string>> | undefined {
      const wanted = names.flatMap(({ from, to }) => {
        const value = labels[from];
        return value === undefined || labels[to] === value ? [] : [[to, value] as const];
      });
      return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
    },
  };
}
