import type { ResourceName } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import type { Key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { encrypted } from "./encrypted.js";
import type { KeyService } from "./key-service.js";
import { createKeyRing, type KeyRing } from "./ring/key-ring.js";
import type { RingMetrics } from "./ring/metrics.js";

export interface EncryptionDeps {
  readonly keys: KeyService;
  readonly resourceAt: (key: Key) => ResourceName | undefined;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly metrics: RingMetrics;
}

/** A process's part in encryption: its keys, and stores that use them. */
export interface Encryption {
  /** Asks for the keys; stores wait for them. Called once it is known where objects stand. */
  start(): void;
  wrap(store: Store): Store;
  /** Called when values that were written before may be stale. */
  onOtherKeys(run: () => void): void;
  readonly health: KeyService["health"];
  stop(): void;
}

export function createEncryption({ keys, resourceAt, clock, metrics }: EncryptionDeps): Encryption {
  const ring: KeyRing = createKeyRing({ plugins: keys.plugins, clock, metrics });
  let unfollow = (): void => {};
  return {
    start() {
      unfollow = keys.follow((set) => ring.use(set));
    },
    wrap: (store) => encrypted(store, { ring, resourceAt }),
    onOtherKeys: (run) => void ring.onChange((change) => change === "other keys" && run()),
    health: () => keys.health(),
    stop() {
      unfollow();
      ring.stop();
    },
  };
}
