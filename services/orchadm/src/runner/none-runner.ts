import { readManifests } from "./manifest-folder.js";
import type { RunnerPaths } from "./runner-paths.js";
import type { Runner, UnitStatus } from "./unit.js";

/** For images, charts and supervisors of others: there are manifests, and nobody here runs them. */
export function createNoRunner(paths: RunnerPaths): Runner {
  const nothing = async (): Promise<void> => {};
  const list = async (): Promise<readonly UnitStatus[]> =>
    [...readManifests(paths.manifests).units.keys()]
      .sort()
      .map((name) => ({ name, state: "stopped", hash: "", restarts: 0 }));
  return {
    ...{ kind: "none", begin: nothing, end: nothing, start: nothing, stop: nothing, list },
    status: async (name) => (await list()).find((each) => each.name === name),
  };
}
