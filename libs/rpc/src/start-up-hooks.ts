/**
 * What resource services do once at their start and are not ready without, by the names of the reference's post-start
 * hooks. A service tells in its status which of them it has not finished; health endpoints show each as
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
