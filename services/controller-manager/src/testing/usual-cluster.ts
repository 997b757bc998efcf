import type { ClusterConfig } from "../cluster-controllers.js";

/** Settings of controllers that the test does not run. */
export const usualCluster = (): ClusterConfig => ({
  slices: { workers: 1, max: 100, batchMs: 0 },
  endpoints: { workers: 1, batchMs: 0 },
  mirroring: { workers: 1, max: 1000, batchMs: 0 },
  nodes: {
    ...{ periodMs: 5000, graceMs: 50_000, startupMs: 60_000 },
    ...{ rate: 0.1, secondaryRate: 0.01, largeZone: 50, unhealthy: 0.55 },
  },
  podCollector: { threshold: 0, periodMs: 20_000, quarantineMs: 40_000 },
  ephemeralVolumes: { workers: 1 },
  volumeBinder: { periodMs: 15_000, provisions: true },
  volumeAttacher: { periodMs: 60_000, forces: true },
  legacyTokens: { periodMs: 8760 * 3_600_000 },
  cloud: undefined,
  ipam: undefined,
});
