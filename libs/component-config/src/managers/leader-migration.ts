import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type Configuration, configuration } from "../configuration.js";
import { unless } from "../rules.js";
import { kind, list, type Struct, struct, text, type Values } from "../shape.js";

const leader = struct("ControllerLeaderConfiguration", { name: text(), component: text() });

export const leaderMigrationMembers = {
  leaderName: text(),
  resourceLock: text("leases"),
  controllerLeaders: list(leader),
} as const;

/** Which component runs a controller while controllers move from one component to another. */
export type LeaderMigration = Values<typeof leaderMigrationMembers>;

export const leaderMigrationShape: Struct<LeaderMigration> = kind(
  "LeaderMigrationConfiguration",
  leaderMigrationMembers,
);

/** Where migration is on and no file says how. */
export const defaultLeaderMigration: LeaderMigration = {
  leaderName: "cloud-provider-extraction-migration",
  resourceLock: "leases",
  controllerLeaders: ["route-controller", "service-controller", "cloud-node-lifecycle-controller"].map((name) => ({
    name,
    component: "*",
  })),
};

export function leaderMigrationConfiguration(naming: Naming): Configuration<LeaderMigration> {
  const spec = {
    kind: "LeaderMigrationConfiguration",
    group: "controllermanager.config",
    // All of them have the same fields.
    versions: [{ version: "v1alpha1" }, { version: "v1beta1" }, { version: "v1" }],
    shape: leaderMigrationShape,
    check: (value: LeaderMigration) => checkLeaderMigration(value, ""),
  };
  return configuration(spec, naming);
}

export function checkLeaderMigration(value: LeaderMigration, at: string): readonly FieldError[] {
  const { leaderName, resourceLock, controllerLeaders } = value;
  const before = at === "" ? "" : `${at}.`;
  return [
    ...unless(leaderName !== "", () =>
      fieldError.required(`${before}leaderName`, "leaderName must be set for LeaderMigrationConfiguration"),
    ),
    ...unless(["leases", "endpoints"].includes(resourceLock), () =>
      fieldError.invalid(`${before}resourceLock`, resourceLock, "resource Lock must be one of 'leases' or 'endpoints'"),
    ),
    ...controllerLeaders.flatMap(({ name, component }, i) => [
      ...unless(name !== "", () => fieldError.required(`${before}controllerLeaders[${i}].name`, "name must be set")),
      ...unless(component !== "", () =>
        fieldError.required(`${before}controllerLeaders[${i}].component`, "component must be set"),
      ),
    ]),
  ];
}
