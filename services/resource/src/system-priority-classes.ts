import { systemPriorityClasses } from "@orch/api/kinds/scheduling/priority-class.js";
import { ensureKept } from "./write/kept-object.js";
import { builtIn, type WriteDeps } from "./write/write.js";

/** Makes the priority classes of the system's own pods; those that are there stay as they are. */
export async function ensureSystemPriorityClasses(deps: WriteDeps): Promise<void> {
  const kind = builtIn({ deps }, `${deps.naming.group("scheduling")}/v1`, "PriorityClass");
  for (const made of systemPriorityClasses) {
    const { name } = made.metadata;
    await ensureKept(deps, { kind, name, right: (stored) => (stored === undefined ? { object: made } : undefined) });
  }
}
