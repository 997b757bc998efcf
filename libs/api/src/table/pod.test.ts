import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../catalog.js";
import type { Tree } from "../testing/kind-kit.js";
import { ago, createTableKit } from "../testing/table-kit.js";

const kit = createTableKit(loadCatalog(createNaming("orch")));

/** A container: its name, a `*` for an init container that keeps running, and what is known of it. */
type Container = readonly [name: string, status?: Tree];

const running = { ready: true, state: { running: {} } };
const unready = { ready: false, state: { running: {} } };
const started = { ...running, started: true };
const waiting = (reason: string) => ({ state: { waiting: { reason } } });
const ended = (terminated: Tree) => ({ state: { terminated } });
const completed = ended({ reason: "Completed" });
const restarted = (restartCount: number, seconds: number) => ({
  restartCount,
  lastState: { terminated: { finishedAt: ago(seconds) } },
});
const initialized = { type: "Initialized", status: "True" };
const readyPod = { type: "Ready", status: "True" };

interface Pod {
  readonly init?: readonly Container[];
  readonly containers?: readonly Container[];
  readonly status?: Tree;
  readonly deleted?: boolean;
}

function treeOf({ init = [], containers = [], status = {}, deleted = false }: Pod): Tree {
  const nameOf = (name: string) => name.replace("*", "");
  const statusesOf = (list: readonly Container[]) =>
    list.flatMap(([name, known]) => (known === undefined ? [] : [{ name: nameOf(name), ...known }]));
  return {
    metadata: deleted ? { deletionTimestamp: ago(9) } : {},
    spec: {
      initContainers: init.map(([name]) => ({
        name: nameOf(name),
        ...(name.endsWith("*") ? { restartPolicy: "Always" } : {}),
      })),
      containers: containers.map(([name]) => ({ name })),
    },
    status: {
      phase: "Running",
      initContainerStatuses: statusesOf(init),
      containerStatuses: statusesOf(containers),
      ...status,
    },
  };
}

const rows: readonly [what: string, pod: Pod, ready: string, status: string, restarts: string][] = [
  // 1: where it starts
  ["the phase", { containers: [["a"]], status: { phase: "Pending" } }, "0/1", "Pending", "0"],
  ["the pod's own reason", { status: { phase: "Failed", reason: "Evicted" } }, "0/0", "Evicted", "0"],
  [
    "a scheduling gate",
    {
      status: {
        phase: "Pending",
        reason: "Odd",
        conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
      },
    },
    "0/0",
    "SchedulingGated",
    "0",
  ],
  [
    "another condition's reason is not one",
    { status: { conditions: [{ type: "Ready", status: "False", reason: "SchedulingGated" }] } },
    "0/0",
    "Running",
    "0",
  ],

  // 2: initialization
  [
    "init: its reason",
    { init: [["i", ended({ reason: "OOMKilled", exitCode: 137 })]], containers: [["a"]] },
    "0/1",
    "Init:OOMKilled",
    "0",
  ],
  ["init: its signal", { init: [["i", ended({ exitCode: 137, signal: 9 })]] }, "0/0", "Init:Signal:9", "0"],
  ["init: its exit code", { init: [["i", ended({ exitCode: 3 })]] }, "0/0", "Init:ExitCode:3", "0"],
  ["init: what it waits for", { init: [["i", waiting("ImagePullBackOff")]] }, "0/0", "Init:ImagePullBackOff", "0"],
  [
    "init: how far, while it only waits its turn",
    {
      init: [
        ["i", ended({ exitCode: 0 })],
        ["j", waiting("PodInitializing")],
      ],
    },
    "0/0",
    "Init:1/2",
    "0",
  ],
  ["init: how far, while it runs", { init: [["i", { state: { running: {} } }], ["j"]] }, "0/0", "Init:0/2", "0"],
  [
    "init: a sidecar that has not started blocks",
    { init: [["s*", { started: false, state: { running: {} } }]], containers: [["a", waiting("PodInitializing")]] },
    "0/2",
    "Init:0/1",
    "0",
  ],
  [
    "init: a started sidecar does not block, and counts as ready",
    {
      init: [
        ["s*", started],
        ["j", { state: { running: {} } }],
      ],
      containers: [["a"]],
    },
    "1/2",
    "Init:1/2",
    "0",
  ],
  [
    "init: a started sidecar that is not ready",
    { init: [["s*", { ...started, ready: false }]], containers: [["a", running]] },
    "1/2",
    "Running",
    "0",
  ],
  [
    "init: over, says the pod, although a sidecar was restarted",
    {
      init: [["s*", { ...waiting("CrashLoopBackOff"), restartCount: 2 }]],
      containers: [["a", running]],
      status: { conditions: [initialized] },
    },
    "1/2",
    "Init:CrashLoopBackOff",
    "2",
  ],

  // 3: the containers
  [
    "all run",
    {
      containers: [
        ["a", running],
        ["b", running],
      ],
    },
    "2/2",
    "Running",
    "0",
  ],
  [
    "one is not ready",
    {
      containers: [
        ["a", running],
        ["b", unready],
      ],
    },
    "1/2",
    "Running",
    "0",
  ],
  [
    "one waits",
    {
      containers: [
        ["a", running],
        ["b", waiting("CrashLoopBackOff")],
      ],
    },
    "1/2",
    "CrashLoopBackOff",
    "0",
  ],
  [
    "the first that does not run decides",
    {
      containers: [
        ["a", waiting("First")],
        ["b", ended({ reason: "Error", exitCode: 1 })],
      ],
    },
    "0/2",
    "First",
    "0",
  ],
  [
    "one ended by a signal",
    {
      containers: [
        ["a", running],
        ["b", ended({ exitCode: 137, signal: 9 })],
      ],
    },
    "1/2",
    "Signal:9",
    "0",
  ],
  ["one ended with a code", { containers: [["a", ended({ exitCode: 7 })]] }, "0/1", "ExitCode:7", "0"],
  [
    "init containers are over",
    { init: [["i", ended({ reason: "Completed" })]], containers: [["a", running]] },
    "1/1",
    "Running",
    "0",
  ],

  // 4: completed, in part
  ["all completed", { containers: [["a", completed]], status: { phase: "Succeeded" } }, "0/1", "Completed", "0"],
  [
    "one runs and the pod is ready",
    {
      containers: [
        ["a", completed],
        ["b", running],
      ],
      status: { conditions: [readyPod] },
    },
    "1/2",
    "Running",
    "0",
  ],
  [
    "one runs and the pod is not ready",
    {
      containers: [
        ["a", completed],
        ["b", running],
      ],
    },
    "1/2",
    "NotReady",
    "0",
  ],
  [
    "one failed",
    {
      containers: [
        ["a", completed],
        ["b", ended({ reason: "Error", exitCode: 1 })],
        ["c", running],
      ],
    },
    "1/3",
    "Error",
    "0",
  ],
  [
    "one failed, but the pod is ready",
    {
      containers: [
        ["a", completed],
        ["b", ended({ exitCode: 1 })],
        ["c", running],
      ],
      status: { conditions: [readyPod] },
    },
    "1/3",
    "Running",
    "0",
  ],

  // 5: on its way out
  ["deleted", { containers: [["a", running]], deleted: true }, "1/1", "Terminating", "0"],
  [
    "deleted when it was over",
    { containers: [["a", completed]], status: { phase: "Succeeded" }, deleted: true },
    "0/1",
    "Completed",
    "0",
  ],
  ["deleted after it failed", { status: { phase: "Failed" }, deleted: true }, "0/0", "Failed", "0"],
  ["deleted on a node that is lost", { status: { reason: "NodeLost" }, deleted: true }, "0/0", "Unknown", "0"],

  // restarts
  ["restarts without a time", { containers: [["a", { ...running, restartCount: 3 }]] }, "1/1", "Running", "3"],
  [
    "the last of all restarts",
    {
      containers: [
        ["a", { ...running, ...restarted(3, 7200) }],
        ["b", { ...running, ...restarted(1, 300) }],
      ],
    },
    "2/2",
    "Running",
    "4 (5m ago)",
  ],
  ["a time without restarts", { containers: [["a", { ...running, ...restarted(0, 300) }]] }, "1/1", "Running", "0"],
  [
    "initializing: those of init containers up to the one at hand",
    {
      init: [
        ["i", { ...ended({ exitCode: 0 }), ...restarted(1, 600) }],
        ["j", { ...waiting("CrashLoopBackOff"), ...restarted(2, 60) }],
        ["k", { restartCount: 9 }],
      ],
      containers: [["a", { restartCount: 9 }]],
    },
    "0/1",
    "Init:CrashLoopBackOff",
    "3 (60s ago)",
  ],
  [
    "initialized: of those that keep running",
    {
      init: [
        ["i", { ...ended({ exitCode: 0 }), ...restarted(5, 10) }],
        ["s*", { ...started, ...restarted(2, 90) }],
      ],
      containers: [["a", { ...running, ...restarted(1, 3600) }]],
    },
    "2/2",
    "Running",
    "3 (90s ago)",
  ],
];

for (const [what, pod, ...expected] of rows) {
  test(`a pod's ready, status, restarts: ${what}`, () => {
    assert.deepEqual(kit.cells("Pod", treeOf(pod)).slice(1, 4), expected);
  });
}

test("a pod that is over is a completed row", () => {
  const conditionsOf = (phase: string) => kit.row("Pod", { status: { phase } }).conditions;
  assert.deepEqual(
    conditionsOf("Succeeded").map((c) => [c.type, c.status, c.reason]),
    [["Completed", "True", "Succeeded"]],
  );
  assert.deepEqual(
    conditionsOf("Failed").map((c) => [c.type, c.status, c.reason]),
    [["Completed", "True", "Failed"]],
  );
  assert.deepEqual(conditionsOf("Running"), []);
});
