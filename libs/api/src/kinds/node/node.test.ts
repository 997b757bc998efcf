import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import {
  type CreateRow,
  testCreates,
  testUpdates,
  testValues,
  type UpdateRow,
  type ValueRow,
} from "../../testing/kind-rows.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const runtime = "node.k8s.io/v1.RuntimeClass";
const first = "node.k8s.io/v1alpha1.RuntimeClass";
const classOf = (tree: Tree): Tree => ({ handler: "runc", ...tree });
const versioned = (tree: Tree): Tree => ({ ...tree, metadata: { resourceVersion: "1" } });
const toleration = { key: "a", operator: "Exists", effect: "NoSchedule" };

const creates: readonly CreateRow[] = [
  [
    runtime,
    "good",
    classOf({
      overhead: { podFixed: { cpu: "1m" } },
      scheduling: { nodeSelector: { a: "b" }, tolerations: [toleration] },
    }),
    [],
  ],
  [runtime, "of nothing", {}, [/^handler: Invalid value: "": a lowercase RFC 1123 label must/]],
  [
    runtime,
    "that costs oddly",
    classOf({ overhead: { podFixed: { cpu: "-1", pods: "1" } } }),
    [
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      "overhead.limits[pods]: Invalid value: pods: must be a standard resource for containers",
    ],
  ],
  [
    runtime,
    "on odd nodes",
    classOf({
      scheduling: { nodeSelector: { "a b": "" }, tolerations: [toleration, { ...toleration, tolerationSeconds: 1 }] },
    }),
    [
      /^scheduling.nodeSelector: Invalid value: "a b": name part must/,
      "scheduling.tolerations.tolerations[1].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
      /^scheduling.tolerations\[1\]: Duplicate value: \{.*"tolerationSeconds":1.*\}$/,
    ],
  ],
];
testCreates(kit, creates);

const updates: readonly UpdateRow[] = [
  [runtime, "that costs more", versioned(classOf({ overhead: { podFixed: { cpu: "1" } } })), classOf({}), []],
  [
    runtime,
    "of another handler",
    versioned(classOf({ handler: "kata" })),
    classOf({}),
    ['handler: Invalid value: "kata": field is immutable'],
  ],
];
testUpdates(kit, updates);

const values: readonly ValueRow[] = [
  [runtime, "rounds its cost up", classOf({ overhead: { podFixed: { cpu: "1u" } } }), "overhead.podFixed.cpu", "1m"],
];
testValues(kit, values);

test("the first version has everything under its spec", () => {
  const rest = { overhead: { podFixed: { cpu: "1" } }, scheduling: { nodeSelector: { a: "b" } } };
  const tree = { spec: { runtimeHandler: "runc", ...rest } };
  const { hub, back } = kit.roundTrip(first, tree);
  const { kind, apiVersion, metadata, ...stored } = hub;
  assert.deepEqual(stored, { handler: "runc", ...rest });
  assert.deepEqual(back["spec"], tree.spec);
});
