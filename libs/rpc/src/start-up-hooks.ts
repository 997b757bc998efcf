/**
 * What resource services must do at their start before they are ready, by the names of the reference's post-start
 * hooks. The status of a service lists those that it has not finished; health endpoints show each as
 * `poststarthook/<name>`, failing until all services have.
 */
export const startUpHooks = [
  "start-system-namespaces-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
] as const;

export type StartUpHook = (typeof startUpHooks)[number];
