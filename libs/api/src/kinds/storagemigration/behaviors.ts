import type { Behaviors } from "../../behavior.js";
import { storageVersionMigration } from "./storage-version-migration.js";

export const storagemigrationBehaviors: Behaviors = [
  ["storagemigration/v1alpha1.StorageVersionMigration", storageVersionMigration],
];
