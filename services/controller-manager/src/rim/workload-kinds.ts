import type { Kind } from "./objects.js";

const apps = (resource: string, kind: string): Kind => ({
  ...{ apiVersion: "apps/v1", kind },
  collection: { group: "apps", version: "v1", resource },
});
const batch = (resource: string, kind: string): Kind => ({
  ...{ apiVersion: "batch/v1", kind },
  collection: { group: "batch", version: "v1", resource },
});

/** The kinds that make others, with their places. */
export const workloadKinds = {
  replicationController: {
    ...{ apiVersion: "v1", kind: "ReplicationController" },
    collection: { group: "", version: "v1", resource: "replicationcontrollers" },
  },
  replicaSet: apps("replicasets", "ReplicaSet"),
  deployment: apps("deployments", "Deployment"),
  statefulSet: apps("statefulsets", "StatefulSet"),
  daemonSet: apps("daemonsets", "DaemonSet"),
  job: batch("jobs", "Job"),
  cronJob: batch("cronjobs", "CronJob"),
} as const;
