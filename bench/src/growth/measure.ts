/** CPU that this process has spent, user and system: the kernel tells their sum to the microsecond, each only by ticks. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Four times the elements may cost six times the CPU: linear work, and a margin for what grows with the memory. */
export const maxGrowth = 6;
export const factor = 4;
/** Below this many milliseconds for the larger body a growth is noise. */
export const measurableMs = 12;

export interface Pair {
  /** Milliseconds of CPU for n and for 4n elements. */
  readonly small: number;
  readonly large: number;
}

export const growthOf = ({ small, large }: Pair): number => large / Math.max(small, 0.5);

export const isSuspect = (pair: Pair): boolean => pair.large >= measurableMs && growthOf(pair) > maxGrowth;
