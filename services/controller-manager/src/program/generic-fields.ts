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
  "use-service-account-credentials": "OrchCloudShared.UseServiceAccountCredentials",
} as const;
