import { createCluster } from "../model/cluster.js";
import type { Ruleset } from "../ruleset.js";
import { golden } from "./golden.js";
import type { Change } from "./random-cluster.js";

/** Takes changes into a ruleset of one family; `write` at each sync and at the end. */
export function followChanges(ruleset: Ruleset, changes: readonly Change[], write: (isLast: boolean) => void): void {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  ruleset.surround(golden.surroundings());
  const sync = (isLast: boolean): void => {
    for (const { service, ports } of cluster.take()) ruleset.put(service, ports.IPv4);
    write(isLast);
  };
  for (const change of changes) {
    if (change.of === "service") cluster.service(change.key, change.service);
    else if (change.of === "slice") cluster.slice(change.key, change.owner, change.slice);
    else if (change.of === "zone") cluster.zone(change.zone);
    else sync(false);
  }
  sync(true);
}
