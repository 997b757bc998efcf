import type { Metrics } from "./metrics.js";

type Leading = (lease: string, leads: boolean) => void;

const known = new WeakMap<Metrics, Leading>();

/** Tells of which leases a process holds; the reference's metric. The same for all parts of the process that ask. */
export function leaderMetric(metrics: Metrics): Leading {
  const found = known.get(metrics) ?? createLeaderMetric(metrics);
  known.set(metrics, found);
  return found;
}

function createLeaderMetric(metrics: Metrics): Leading {
  const leads = metrics.gauge({
    name: "leader_election_master_status",
    help: "1 while this process leads, 0 while it stands by.",
    stability: "ALPHA",
    labels: ["name"],
  });
  return (name, is) => leads.with({ name }).set(is ? 1 : 0);
}
