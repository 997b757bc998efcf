import type { FieldError } from "@orch/status/field-error.js";
import { validateRequirements } from "../requirements.js";
import { validateAffinity } from "./affinity.js";
import { validateContainers } from "./containers.js";
import { validateDns, validateHostAliases, validateHostNetwork, validateHostUsers } from "./network.js";
import { validateHostProcess } from "./os.js";
import type { PodPlace } from "./place.js";
import { validateGates, validateResourceClaims, validateSpread, validateTolerations } from "./scheduling.js";
import { validatePodSecurity } from "./security/security.js";
import { namesIn, type PodSpec } from "./types.js";
import { soundVolumes, validateVolumes } from "./volume/volumes.js";

/** Everything about a pod's spec that depends on several fields; `at` is its path. */
export function validatePodSpec(spec: PodSpec, at: string, { naming, pod, found = [] }: PodPlace): FieldError[] {
  const ofVolumes = validateVolumes(spec, at, { naming, ...(pod === undefined ? {} : { pod }) });
  const volumes = soundVolumes(spec, [...found, ...ofVolumes], at);
  return [
    ...ofVolumes,
    ...validateResourceClaims(spec, pod ?? "", at),
    ...validateContainers(spec, at, { naming, volumes }),
    ...validateRequirements(spec.resources ?? {}, `${at}.resources`, { naming, claims: namesIn(spec).claims }),
    ...validateHostNetwork(spec, pod !== undefined, at),
    ...validatePodSecurity(spec, at),
    ...validateAffinity(spec.affinity, `${at}.affinity`),
    ...validateDns(spec, at),
    ...validateGates(spec, at),
    ...validateSpread(spec, at),
    ...validateHostProcess(spec, at),
    ...validateHostUsers(spec, at),
    ...validateTolerations(spec.tolerations, `${at}.tolerations`),
    ...validateHostAliases(spec, at),
    ...validateRequirements({ limits: spec.overhead ?? {} }, `${at}.overhead`, { naming }),
  ];
}
