import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { Naming } from "@orch/naming/naming.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import { isPod } from "./is-pod.js";

/** A pod that no other may stand beside keeps them off its node, not off a whole zone. */
export function limitPodHardAntiAffinityTopology(naming: Naming): AdmissionPlugin {
  const hostname = naming.key("hostname");
  return {
    name: "LimitPodHardAntiAffinityTopology",
    handles: isPod,
    validate({ write, object }) {
      const { spec }: Pod = object;
      const terms = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const wrong = terms.find(({ topologyKey }) => topologyKey !== hostname);
      if (wrong === undefined) return;
      const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wrong.topologyKey ?? ""} but only key ${hostname} is allowed`;
      throw refused(write, object, why);
    },
  };
}
