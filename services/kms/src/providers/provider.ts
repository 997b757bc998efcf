import type { KeyProvider } from "@orch/encryption/key-set.js";
import type { WrappedKey } from "@orch/encryption/plugin-keys.js";

/** A plugin that the configuration names, as this service keeps it. */
export interface Provider {
  readonly name: string;
  readonly version: "v1" | "v2";
  readonly timeoutMs: number;
  /** What is told of it with the keys. */
  keys(): KeyProvider;
  /** Why it is unwell; a good answer is kept for a while. */
  health(): Promise<string | undefined>;
  unwrap(key: WrappedKey): Promise<Buffer>;
  wrap(key: Buffer): Promise<Buffer>;
  /** Asks it for the first time, then now and then. */
  start(): Promise<void>;
  stop(): void;
}

/** How long answers to health checks count, and how often a plugin is asked without anybody wanting to know. */
export interface Times {
  readonly wellMs: number;
  readonly unwellMs: number;
  readonly pollMs: number;
  readonly pollUnwellMs: number;
  /** Writes go on for so long after the last good status. */
  readonly writeMs: number;
}

/** By how often plugins that are well are asked. */
export const timesOf = (pollMs: number): Times => ({
  pollMs,
  pollUnwellMs: Math.min(pollMs, 10_000),
  wellMs: Math.min(pollMs, 20_000),
  unwellMs: Math.min(pollMs, 3_000),
  writeMs: 180_000,
});
