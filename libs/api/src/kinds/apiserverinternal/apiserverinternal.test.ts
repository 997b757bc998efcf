import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { type CreateRow, type PartRow, testCreates, testParts } from "../../testing/kind-rows.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const version = "internal.apiserver.k8s.io/v1alpha1.StorageVersion";
const named = (name: string): Tree => ({ metadata: { name } });
const good = named("apps.deployments");
const server = (id: string, encodingVersion: string, rest: Tree = {}): Tree => ({
  apiServerID: id,
  encodingVersion,
  decodableVersions: [encodingVersion],
  ...rest,
});
const statusOf = (status: Tree): Tree => ({ ...good, status });

const creates: readonly CreateRow[] = [
  [version, "good", good, []],
  [
    version,
    "of a bare name",
    named("deployments"),
    ['metadata.name: Invalid value: "deployments": name must be in the form of <group>.<resource>'],
  ],
  [
    version,
    "of an odd name",
    named("A.B"),
    [
      /^metadata.name: Invalid value: "A.B": the group segment a lowercase RFC 1123 subdomain must/,
      /^metadata.name: Invalid value: "A.B": the resource segment a DNS-1035 label must/,
    ],
  ],
];
testCreates(kit, creates);

const condition = { type: "AllEncodingVersionsEqual", status: "True", reason: "R", message: "m" };
const parts: readonly PartRow[] = [
  [
    `${version}/status`,
    "of servers that agree",
    statusOf({
      storageVersions: [server("a", "apps/v1", { servedVersions: ["apps/v1"] }), server("b", "apps/v1")],
      commonEncodingVersion: "apps/v1",
      conditions: [condition],
    }),
    good,
    [],
  ],
  [
    `${version}/status`,
    "of servers that do not",
    statusOf({ storageVersions: [server("a", "v1"), server("b", "v2")], commonEncodingVersion: "v1" }),
    good,
    [/^status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding/],
  ],
  [
    `${version}/status`,
    "of servers that agree on another",
    statusOf({ storageVersions: [server("a", "v1")], commonEncodingVersion: "v2" }),
    good,
    ['status.commonEncodingVersion: Invalid value: "v2": the actual common encoding version is v1'],
  ],
  [
    `${version}/status`,
    "that does not tell on what servers agree",
    statusOf({ storageVersions: [server("a", "v1")] }),
    good,
    ["status.commonEncodingVersion: Invalid value: null: the common encoding version is v1"],
  ],
  [
    `${version}/status`,
    "of odd servers",
    statusOf({
      storageVersions: [
        server("a", "/V1", { servedVersions: ["v3"] }),
        server("A", "a/b/c", { decodableVersions: ["v1"] }),
        server("a", "v1"),
      ],
    }),
    good,
    [
      /^status.storageVersions\[0\].encodingVersion: Invalid value: "\/V1": group part: must be non-empty,version part: a DNS-1035/,
      /^status.storageVersions\[0\].decodableVersions\[0\]: Invalid value: "\/V1": group part/,
      'status.storageVersions[0].servedVersions[0]: Invalid value: "v3": individual served version : v3 must be included in decodableVersions : [/V1]',
      /^status.storageVersions\[1\].apiServerID: Invalid value: "A": a lowercase RFC 1123 subdomain must/,
      /^status.storageVersions\[1\].encodingVersion: Invalid value: "a\/b\/c": an apiVersion is a DNS-1035 label, which/,
      'status.storageVersions[1].decodableVersions: Invalid value: ["v1"]: decodableVersions must include encodingVersion a/b/c',
      'status.storageVersions[2].apiServerID: Duplicate value: "a"',
    ],
  ],
  [
    `${version}/status`,
    "of odd conditions",
    statusOf({ conditions: [condition, { ...condition, status: "a b", reason: "", message: "" }] }),
    good,
    [
      'status[1].type: Invalid value: "AllEncodingVersionsEqual": the type of the condition is not unique, it also appears in conditions[0]',
      /^status\[1\].status: Invalid value: "a b": name part must/,
      "status[1].reason: Required value: reason cannot be empty",
      "status[1].message: Required value: message cannot be empty",
    ],
  ],
];
testParts(kit, parts);
