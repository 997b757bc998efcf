import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { nanoseconds, unless } from "../rules.js";
import { bool, duration, given, inside, int32, struct, text, texts, type ValueOf } from "../shape.js";
import {
  checkClientConnection,
  checkLeaderElection,
  clientConnection,
  debuggingStruct,
  leaderElection,
} from "../shared/shared.js";
import { checkLeaderMigration, type LeaderMigration, leaderMigrationMembers } from "./leader-migration.js";

/** What every controller manager has; the lease is named after `component`. */
export const genericShape = (naming: Naming, component: string) =>
  struct("GenericControllerManagerConfiguration", {
    Port: int32(),
    Address: text("0.0.0.0"),
    MinResyncPeriod: duration("12h0m0s"),
    ClientConnection: inside(clientConnection(naming, 20, 30)),
    ControllerStartInterval: duration(),
    LeaderElection: inside(leaderElection(naming, component)),
    Controllers: texts(["*"]),
    Debugging: inside(debuggingStruct),
    LeaderMigrationEnabled: bool(),
    LeaderMigration: inside(struct("LeaderMigration", leaderMigrationMembers)),
  });

export type GenericConfiguration = ValueOf<ReturnType<typeof genericShape>>;

export const checkGeneric = (value: GenericConfiguration, at: string): readonly FieldError[] => [
  ...checkClientConnection(value.ClientConnection, `${at}.ClientConnection`),
  ...checkLeaderElection(value.LeaderElection, `${at}.LeaderElection`),
  ...unless(!value.LeaderMigrationEnabled || value.LeaderElection.leaderElect, () =>
    fieldError.invalid(`${at}.LeaderMigrationEnabled`, true, "leader migration requires leader election"),
  ),
  // One that says nothing stands for the default.
  ...(value.LeaderMigrationEnabled && saysSomething(value.LeaderMigration)
    ? checkLeaderMigration(value.LeaderMigration, `${at}.LeaderMigration`)
    : []),
];

/** Zero stands for the default, as everywhere: only less is wrong. */
export const checkCloudShared = (
  value: Readonly<Record<"NodeMonitorPeriod" | "RouteReconciliationPeriod", string>>,
  at: string,
): readonly FieldError[] =>
  (["NodeMonitorPeriod", "RouteReconciliationPeriod"] as const).flatMap((name) =>
    unless(nanoseconds(value[name]) > 0n, () =>
      fieldError.invalid(`${at}.${name}`, value[name], "must be greater than zero"),
    ),
  );

const saysSomething = ({ leaderName, controllerLeaders }: LeaderMigration): boolean =>
  leaderName !== "" || controllerLeaders.length > 0;

/** What a manager of a cloud and the other one both know. */
export const cloudSharedShape = (clusterName: string) =>
  struct("OrchCloudSharedConfiguration", {
    CloudProvider: inside(struct("CloudProviderConfiguration", { Name: text(), CloudConfigFile: text() })),
    ExternalCloudVolumePlugin: text(),
    UseServiceAccountCredentials: bool(),
    AllowUntaggedCloud: bool(),
    RouteReconciliationPeriod: duration("10s"),
    NodeMonitorPeriod: duration("5s"),
    ClusterName: text(clusterName),
    ClusterCIDR: text(),
    AllocateNodeCIDRs: bool(),
    CIDRAllocatorType: text("RangeAllocator"),
    ConfigureCloudRoutes: given(bool(true)),
    NodeSyncPeriod: duration(),
  });
