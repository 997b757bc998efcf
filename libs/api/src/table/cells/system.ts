import { type Condition, isTrue } from "../../kinds/shared/conditions.js";
import type { ApiObject } from "../../object.js";
import { type Cells, cell, firstOf, unset } from "../cell.js";

interface WithConditions extends ApiObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface StorageVersion extends ApiObject {
  readonly status?: {
    readonly storageVersions?: readonly { readonly apiServerID?: string; readonly encodingVersion?: string }[];
  };
}

interface StorageVersionMigration extends WithConditions {
  readonly spec?: { readonly resource?: { readonly group?: string; readonly resource?: string } };
}

interface ResourceClaim extends ApiObject {
  readonly status?: { readonly allocation?: object; readonly reservedFor?: readonly unknown[] };
}

/** Of what the cluster keeps of itself, and of devices. */
export const systemCells: Cells = [
  ["apiServiceAvailable", cell<WithConditions>(available)],
  ["missingPriorityLevel", cell<WithConditions>((schema) => conditionOf(schema, "Dangling")?.status ?? "?")],
  ["storageVersions", cell<StorageVersion>(storageVersions)],
  ["migratedResource", cell<StorageVersionMigration>(migratedResource)],
  ["migrationStatus", cell<StorageVersionMigration>(migrationStatus)],
  ["claimState", cell<ResourceClaim>(claimState)],
];

function conditionOf({ status }: WithConditions, type: string): Condition | undefined {
  return status?.conditions?.find((c) => c.type === type);
}

/** `False (MissingEndpoints)`. */
function available(object: WithConditions): string {
  const { status = "", reason = "" } = conditionOf(object, "Available") ?? { status: "Unknown" };
  return status === "True" || reason === "" ? status : `${status} (${reason})`;
}

function storageVersions({ status }: StorageVersion): string {
  const texts = (status?.storageVersions ?? []).map(
    ({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`,
  );
  return firstOf(texts, 3) || unset;
}

function migratedResource({ spec }: StorageVersionMigration): string {
  const { group = "", resource = "" } = spec?.resource ?? {};
  return group === "" ? resource : `${group}.${resource}`;
}

/** The last of these that holds. */
function migrationStatus({ status }: StorageVersionMigration): string {
  return ["Succeeded", "Failed", "Running"].find((type) => isTrue(status?.conditions, type)) ?? "Unknown";
}

/** `allocated,reserved`. */
function claimState({ metadata, status }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp !== undefined ? ["deleted"] : [];
  if (status?.allocation === undefined) return deleted[0] ?? "pending";
  const reserved = (status.reservedFor ?? []).length > 0 ? ["reserved"] : [];
  return [...deleted, "allocated", ...reserved].join(",");
}
