import type { FieldError } from "@orch/status/field-error.js";
import { validateAffinity } from "./affinity.js";
import { validateContainers } from "./containers.js";
import { validateDns, validateHostAliases, validateHostNetwork, validateHostUsers } from "./network.js";
import { validateHostProcess, validateOs } from "./os.js";
import { validateRequirements } from "./resources.js";
import { validateGates, validateResourceClaims, validateSpread, validateTolerations } from "./scheduling.js";
import { validatePodSecurity } from "./security.js";
import type { PodSpec } from "./types.js";
import { validateVolumes } from "./volumes.js";

/**
 * Everything about a pod's spec that depends on several fields; `at` is its path. `pod` is the pod's name: undefined
 * in a template, where it does not exist yet, and empty where a pod has none.
 */
export function validatePodSpec(spec: PodSpec, at: string, pod?: string): FieldError[] {
  const isPod = pod !== undefined;
  return [
    ...validateVolumes(spec, pod ?? "", at),
    ...validateResourceClaims(spec, pod ?? "", at),
    ...validateContainers(spec, at),
    ...(spec.resources === undefined ? [] : validateRequirements(spec.resources, `${at}.resources`)),
    ...validateHostNetwork(spec, isPod, at),
    ...validatePodSecurity(spec, at),
    ...validateAffinity(spec.affinity, `${at}.affinity`),
    ...validateDns(spec, at),
    ...validateGates(spec, at),
    ...validateSpread(spec, at),
    ...validateHostProcess(spec, at),
    ...validateHostUsers(spec, at),
    ...validateTolerations(spec.tolerations, `${at}.tolerations`),
    ...validateHostAliases(spec, at),
    ...(spec.overhead === undefined ? [] : validateRequirements({ limits: spec.overhead }, `${at}.overhead`)),
    ...validateOs(spec, at),
  ];
}
