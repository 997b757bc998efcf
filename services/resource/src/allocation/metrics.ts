import type { Naming } from "@orch/naming/naming.js";
import type { CounterSeries, Metrics } from "@orch/runtime/metrics.js";
import type { Pool } from "./pools.js";

/** What the repair finds wrong with a claim or with what a service uses; the reference's words. */
export type Damage = "leak" | "repair" | "outOfRange" | "duplicate" | "invalid";

export interface AllocationMetrics {
  /** An attempt to take a number, asked for (`static`) or any (`dynamic`). */
  allocation(pool: Pool, of: { readonly scope: "static" | "dynamic"; readonly done: boolean }): void;
  released(pool: Pool): void;
  /** How many claims of a pool there are. */
  counted(pool: Pool, claims: number): void;
  damage(of: "ip" | "port", type: Damage): void;
  /** A round of the repair that failed. */
  repairFailed(): void;
}

/** Of whoever keeps no metrics. */
export const noAllocationMetrics: AllocationMetrics = {
  allocation() {},
  released() {},
  counted() {},
  damage() {},
  repairFailed() {},
};

interface PoolSeries {
  count(claims: number): void;
  add(by: number): void;
  readonly done: (scope: string) => CounterSeries;
  readonly failed: (scope: string) => CounterSeries;
}

/** The reference's `kube_apiserver_clusterip_allocator_*`, `…_nodeport_allocator_*` and `apiserver_*_repair_*`. */
export function createAllocationMetrics(metrics: Metrics, naming: Naming): AllocationMetrics {
  const server = naming.systemName("apiserver").replaceAll("-", "_");
  const addresses = addressSeries(metrics, `${server}_clusterip_allocator`);
  const ports = portSeries(metrics, `${server}_nodeport_allocator`);
  const repair = repairSeries(metrics);
  const known = new Map<Pool, PoolSeries>();
  const of = (pool: Pool): PoolSeries => {
    const series = known.get(pool) ?? (pool.name === "node-ports" ? ports : addresses)(pool);
    known.set(pool, series);
    return series;
  };
  return {
    allocation(pool, { scope, done }) {
      const series = of(pool);
      (done ? series.done : series.failed)(scope).inc();
      if (done) series.add(1);
    },
    released: (pool) => of(pool).add(-1),
    counted: (pool, claims) => of(pool).count(claims),
    ...repair,
  };
}

function addressSeries(metrics: Metrics, prefix: string): (pool: Pool) => PoolSeries {
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `${prefix}_${name}`, help, stability: "ALPHA", labels: ["cidr"] });
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `${prefix}_${name}`, help, stability: "ALPHA", labels: ["cidr", "scope"] });
  const allocated = gauge("allocated_ips", "Addresses of services that are taken.");
  const available = gauge("available_ips", "Addresses of services that are free.");
  const done = counter("allocation_total", "Addresses taken.");
  const failed = counter("allocation_errors_total", "Addresses that could not be taken.");
  return (pool) => {
    const labels = { cidr: pool.range };
    const gauges = { allocated: allocated.with(labels), available: available.with(labels) };
    return {
      ...counted(pool, gauges),
      done: (scope) => done.with({ ...labels, scope }),
      failed: (scope) => failed.with({ ...labels, scope }),
    };
  };
}

function portSeries(metrics: Metrics, prefix: string): (pool: Pool) => PoolSeries {
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `${prefix}_${name}`, help, stability: "ALPHA", labels: [] });
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `${prefix}_${name}`, help, stability: "ALPHA", labels: ["scope"] });
  const gauges = {
    allocated: gauge("allocated_ports", "Node ports that are taken.").with({}),
    available: gauge("available_ports", "Node ports that are free.").with({}),
  };
  const done = counter("allocation_total", "Node ports taken.");
  const failed = counter("allocation_errors_total", "Node ports that could not be taken.");
  return (pool) => ({
    ...counted(pool, gauges),
    done: (scope) => done.with({ scope }),
    failed: (scope) => failed.with({ scope }),
  });
}

interface Gauges {
  readonly allocated: { set(value: number): void; add(by: number): void };
  readonly available: { set(value: number): void; add(by: number): void };
}

/** Counted by the repair; what this process takes and gives back is added until the next count. */
function counted({ size }: Pool, { allocated, available }: Gauges): Pick<PoolSeries, "count" | "add"> {
  return {
    count(claims) {
      allocated.set(claims);
      available.set(size - claims);
    },
    add(by) {
      allocated.add(by);
      available.add(-by);
    },
  };
}

function repairSeries(metrics: Metrics): Pick<AllocationMetrics, "damage" | "repairFailed"> {
  const damages = (name: string, help: string) => metrics.counter({ name, help, stability: "ALPHA", labels: ["type"] });
  const rounds = (name: string, help: string) => metrics.counter({ name, help, stability: "ALPHA", labels: [] });
  const found = {
    ip: damages("apiserver_clusterip_repair_ip_errors_total", "What was wrong with addresses of services, by type."),
    port: damages("apiserver_nodeport_repair_port_errors_total", "What was wrong with node ports, by type."),
  };
  const failed = [
    rounds("apiserver_clusterip_repair_reconcile_errors_total", "Rounds of the repair of addresses that failed."),
    rounds("apiserver_nodeport_repair_reconcile_errors_total", "Rounds of the repair of node ports that failed."),
  ];
  return {
    damage: (of, type) => found[of].with({ type }).inc(),
    repairFailed() {
      for (const counter of failed) counter.with({}).inc();
    },
  };
}
