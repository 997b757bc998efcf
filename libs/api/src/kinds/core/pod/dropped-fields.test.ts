import assert from "node:assert/strict";
import { test } from "node:test";
import { allFeatures, type Features, type FieldGate } from "../../../features.js";
import { withoutDisabledFields, withoutDisabledStatus } from "./dropped-fields.js";
import type { PodSpec, PodStatus } from "./types.js";

type Row = readonly [gate: FieldGate, spec: PodSpec, dropped: PodSpec];

const rows: readonly Row[] = [
  ["UserNamespacesSupport", { hostUsers: false }, {}],
  ["SupplementalGroupsPolicy", { securityContext: { supplementalGroupsPolicy: "Strict" } }, { securityContext: {} }],
  ["SELinuxChangePolicy", { securityContext: { seLinuxChangePolicy: "Recursive" } }, { securityContext: {} }],
  ["PodLevelResources", { resources: { limits: { cpu: "1" } } }, {}],
  [
    "ProcMountType",
    { containers: [{ name: "c", securityContext: { procMount: "Unmasked" } }] },
    { containers: [{ name: "c", securityContext: { procMount: "Default" } }] },
  ],
  [
    "DynamicResourceAllocation",
    { resourceClaims: [{ name: "a" }], containers: [{ name: "c", resources: { claims: [{ name: "a" }] } }] },
    { containers: [{ name: "c", resources: {} }] },
  ],
  [
    "ClusterTrustBundleProjection",
    { volumes: [{ name: "v", projected: { sources: [{ clusterTrustBundle: { path: "p" } }] } }] },
    { volumes: [{ name: "v", projected: { sources: [{}] } }] },
  ],
  [
    "InPlacePodVerticalScaling",
    { initContainers: [{ name: "c", resizePolicy: [{ resourceName: "cpu" }] }] },
    { initContainers: [{ name: "c" }] },
  ],
  [
    "ImageVolume",
    {
      volumes: [{ name: "i", image: {} }, { name: "v" }],
      containers: [
        { name: "c", volumeMounts: [{ name: "i" }, { name: "v" }] },
        { name: "d", volumeMounts: [{ name: "i" }] },
      ],
    },
    { volumes: [{ name: "v" }], containers: [{ name: "c", volumeMounts: [{ name: "v" }] }, { name: "d" }] },
  ],
];

const without = (gate: FieldGate): Features => new Set([...allFeatures].filter((g) => g !== gate));

for (const [gate, spec, dropped] of rows) {
  test(`a spec loses the fields of ${gate} while the gate is off`, () => {
    assert.deepEqual(withoutDisabledFields(spec, undefined, without(gate)), dropped);
    assert.deepEqual(withoutDisabledFields(spec, {}, without(gate)), dropped);
  });
  test(`a spec keeps the fields of ${gate} where the gate is on, and where the stored one has them`, () => {
    assert.equal(withoutDisabledFields(spec, undefined, new Set([gate])), spec);
    assert.equal(withoutDisabledFields(spec, spec, without(gate)), spec);
  });
}

test("a status loses what comes with features that are off", () => {
  const status: PodStatus = {
    phase: "Running",
    resize: "Proposed",
    resourceClaimStatuses: [{ name: "a" }],
    containerStatuses: [
      { name: "c", resources: {}, allocatedResources: {}, allocatedResourcesStatus: [], user: { linux: { uid: 1 } } },
    ],
  };
  assert.deepEqual(withoutDisabledStatus(status, {}, new Set()), {
    phase: "Running",
    containerStatuses: [{ name: "c" }],
  });
  assert.deepEqual(withoutDisabledStatus(status, {}, allFeatures), status);
});
