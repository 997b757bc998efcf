import type { Naming } from "@orch/naming/naming.js";
import type { FlowSchemaSpec, LevelSpec, PolicyRules } from "./types.js";

/** The objects without which requests would have no level: the server makes them and their specs stay as they are. */

export const exemptName = "exempt";
const catchAllName = "catch-all";

export const everything: PolicyRules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

function allOf(...groups: readonly string[]): PolicyRules {
  return { subjects: groups.map((name) => ({ kind: "Group", group: { name } })), ...everything };
}

export function mandatorySchemas(naming: Naming): ReadonlyMap<string, FlowSchemaSpec> {
  return new Map<string, FlowSchemaSpec>([
    [
      exemptName,
      {
        priorityLevelConfiguration: { name: exemptName },
        matchingPrecedence: 1,
        rules: [allOf(naming.mastersGroup)],
      },
    ],
    [
      catchAllName,
      {
        priorityLevelConfiguration: { name: catchAllName },
        matchingPrecedence: 10_000,
        distinguisherMethod: { type: "ByUser" },
        rules: [allOf(naming.unauthenticatedGroup, naming.authenticatedGroup)],
      },
    ],
  ]);
}

export const mandatoryLevels: ReadonlyMap<string, LevelSpec> = new Map<string, LevelSpec>([
  [exemptName, { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    catchAllName,
    {
      type: "Limited",
      limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
    },
  ],
]);
