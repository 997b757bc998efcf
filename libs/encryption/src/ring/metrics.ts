/** A value that went through a step, as it began. */
export interface Passed {
  readonly prefix: string;
  readonly resource: string;
  /** In the time of {@link RingMetrics}. */
  readonly started: number;
  readonly failed: boolean;
}

/** What becomes of values on their way to the store and back. */
export interface RingMetrics {
  /** Milliseconds since some moment, with fractions. */
  now(): number;
  sealed(passed: Passed): void;
  opened(passed: Passed): void;
  /** A value was sealed or opened by a key of a plugin of v2. */
  keyUsed(direction: "from_storage" | "to_storage", provider: string, keyId: string): void;
  /** A data key was not at hand. */
  missed(): void;
  /** So many data keys of a plugin are at hand, of so many that may be. */
  kept(provider: string, version: "v1" | "v2", keys: { readonly size: number; readonly max: number }): void;
  /** A data key of v1 was made. */
  generated(started: number, failed: boolean): void;
}

const nothing = (): void => {};

export const noMetrics: RingMetrics = {
  now: () => 0,
  sealed: nothing,
  opened: nothing,
  keyUsed: nothing,
  missed: nothing,
  kept: nothing,
  generated: nothing,
};
