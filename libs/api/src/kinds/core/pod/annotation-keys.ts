import type { Naming } from "@orch/naming/naming.js";

/** The annotations of pods that have rules of their own, in the words of the dialect in force. */
export interface PodAnnotationKeys {
  /** A pod that a node runs by itself, seen through its mirror. */
  readonly mirror: string;
  readonly deletionCost: string;
  readonly tolerations: string;
  readonly seccompPod: string;
  /** Before the name of a container. */
  readonly seccompContainer: string;
  /** Before the name of a container. */
  readonly appArmor: string;
}

export function podAnnotationKeys(naming: Naming): PodAnnotationKeys {
  return {
    mirror: naming.key("config.mirror"),
    deletionCost: `controller.${naming.key("pod-deletion-cost")}`,
    tolerations: `scheduler.alpha.${naming.key("tolerations")}`,
    seccompPod: `seccomp.security.alpha.${naming.key("pod")}`,
    seccompContainer: `container.seccomp.security.alpha.${naming.key("")}`,
    appArmor: `container.apparmor.security.beta.${naming.key("")}`,
  };
}
