import { durationFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";

const nodes = { group: "Nodes" } as const;
const pods = { group: "Pods" } as const;

/** Flags of whatever simulates nodes. */
export const simulationFlags = {
  "node-prefix": stringFlag("node-", { ...nodes, help: "with which the nodes' names begin, before a number from 0" }),
  "node-cpu": stringFlag("32", { ...nodes, word: "quantity", help: "processors of a node" }),
  "node-memory": stringFlag("256Gi", { ...nodes, word: "quantity", help: "memory of a node" }),
  "node-ephemeral-storage": stringFlag("1Ti", { ...nodes, word: "quantity", help: "local storage of a node" }),
  "node-pods": intFlag(110, { ...nodes, min: 1, max: 100_000, help: "pods that a node takes" }),
  "node-zones": listFlag([], { ...nodes, help: "zones among which nodes are parted, comma separated" }),
  "node-region": stringFlag("", { ...nodes, help: "region of the nodes" }),
  "node-lease-period": durationFlag(10_000, { ...nodes, help: "between two renewals of a node's lease" }),
  "node-status-period": durationFlag(300_000, { ...nodes, help: "between two reports of a node's status" }),
  "crash-nodes": listFlag([], {
    ...nodes,
    help: "nodes that are made and never heard of again, comma separated; a final '*' stands for any rest of a name",
  }),
  "agent-address": stringFlag("127.0.0.1", {
    ...{ ...nodes, word: "address" },
    help: "where the agent of all nodes listens, and what they report as their Hostname; empty: they have none",
  }),
  "agent-port": intFlag(0, { ...nodes, min: 0, max: 65_535, help: "port of that agent; 0 picks a free one" }),
  "agent-cert-file": stringFlag("", {
    ...{ ...nodes, word: "file" },
    help: "serving certificate of that agent; one is made where none is named",
  }),
  "agent-key-file": stringFlag("", { ...nodes, word: "file", help: "key of that certificate" }),
  "agent-client-ca-file": stringFlag("", {
    ...{ ...nodes, word: "file" },
    help: "certificates by which the clients of that agent are known; the authority of the server's clients where none is named",
  }),
  "pod-start-delay": durationFlag(0, { ...pods, help: "from when a pod is bound until its containers run" }),
  "pod-grace": durationFlag(2_000, {
    ...pods,
    help: "how long a pod that is deleted takes to stop, or what it is given, if that is less",
  }),
  "pod-stages": stringFlag("", {
    ...pods,
    word: "file",
    help: "NodeSimulatorConfiguration, YAML or JSON: what pods do at which point of their lives",
  }),
} as const;
