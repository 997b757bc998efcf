import { noContentionProfile } from "@orch/component-config/shared/shared.js";

const election = "Generic.LeaderElection";

/** Which fields of the configuration of either manager stand for flags that both have. */
export const genericFields = {
  orchconfig: "Generic.ClientConnection.orchconfig",
  controllers: "Generic.Controllers",
  "leader-elect": `${election}.leaderElect`,
  "leader-elect-lease-duration": `${election}.leaseDuration`,
  "leader-elect-renew-deadline": `${election}.renewDeadline`,
  "leader-elect-retry-period": `${election}.retryPeriod`,
  "leader-elect-resource-name": `${election}.resourceName`,
  "leader-elect-resource-namespace": `${election}.resourceNamespace`,
  "enable-leader-migration": "Generic.LeaderMigrationEnabled",
  profiling: "Generic.Debugging.enableProfiling",
  "use-service-account-credentials": "OrchCloudShared.UseServiceAccountCredentials",
} as const;

/** Fields of both that nobody can act on, and why. */
export const impossibleFields = { "Generic.Debugging.enableContentionProfiling": noContentionProfile } as const;
