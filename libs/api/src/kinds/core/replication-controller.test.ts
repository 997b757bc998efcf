import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import {
  type CreateRow,
  type PartRow,
  testCreates,
  testParts,
  testUpdates,
  testValues,
  type ValueRow,
} from "../../testing/kind-rows.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const rc = "ReplicationController";
const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
const podsOf = (spec: Tree): Tree => ({ spec: { template: { ...template, spec: { ...template.spec, ...spec } } } });
const good: Tree = { spec: { template } };

const creates: readonly CreateRow[] = [
  [rc, "good", good, []],
  [rc, "without anything", {}, ["spec.selector: Required value", "spec.template: Required value"]],
  [
    rc,
    "with negative numbers",
    { spec: { template, replicas: -1, minReadySeconds: -1 } },
    [
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    rc,
    "for the pods of another",
    { spec: { template, selector: { app: "y" } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    rc,
    "of pods that end",
    podsOf({ restartPolicy: "Never", activeDeadlineSeconds: 1 }),
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported",
    ],
  ],
  [
    rc,
    "of bad pods",
    podsOf({ containers: [{ name: "c", image: "a", livenessProbe: {} }] }),
    ["spec.template.spec.containers[0].livenessProbe: Required value: must specify a handler type"],
  ],
];
testCreates(kit, creates);

const values: readonly ValueRow[] = [
  [rc, "selects its pods", good, "spec.selector", labels],
  [rc, "is labelled as its pods", good, "metadata.labels", labels],
  [rc, "keeps its own labels", { ...good, metadata: { labels: { a: "b" } } }, "metadata.labels", { a: "b" }],
  [rc, "makes one pod", good, "spec.replicas", 1],
  [rc, "may make none", { spec: { template, replicas: 0 } }, "spec.replicas", 0],
  [rc, "fills its template", good, "spec.template.spec.dnsPolicy", "ClusterFirst"],
];
testValues(kit, values);

testUpdates(kit, [
  [rc, "of another size", { spec: { template, replicas: 3 } }, good, []],
  [
    rc,
    "for the pods of another",
    { spec: { template, selector: { app: "y" } } },
    good,
    [/^spec.template.metadata.labels: Invalid value: .*: `selector` does not match template `labels`$/],
  ],
]);

const part = `${rc}/status`;
const statusOf = (status: Tree): Tree => ({ ...good, status });
const most = "cannot be greater than status.replicas";
const parts: readonly PartRow[] = [
  [
    part,
    "with pods",
    statusOf({ replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 2 }),
    good,
    [],
  ],
  [
    part,
    "with fewer than no pods",
    statusOf({
      replicas: -1,
      fullyLabeledReplicas: -2,
      readyReplicas: -2,
      availableReplicas: -2,
      observedGeneration: -1,
    }),
    good,
    [
      ["replicas", -1],
      ["fullyLabeledReplicas", -2],
      ["readyReplicas", -2],
      ["availableReplicas", -2],
      ["observedGeneration", -1],
    ].map(([name, count]) => `status.${name}: Invalid value: ${count}: must be greater than or equal to 0`),
  ],
  [
    part,
    "with more ready pods than pods",
    statusOf({ replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 3 }),
    good,
    [
      `status.fullyLabeledReplicas: Invalid value: 2: ${most}`,
      `status.readyReplicas: Invalid value: 2: ${most}`,
      `status.availableReplicas: Invalid value: 3: ${most}`,
      "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
    ],
  ],
];
testParts(kit, parts);
