import type { Store } from "../store.js";
import type { Drive } from "../testing/drive.js";

/** A fresh store without keys under `prefix`; revisions need not start at 1. */
export interface Fixture {
  readonly store: Store;
  readonly prefix: string;
  /** Closes the store and opens the same data again; absent where a store cannot. */
  reopen?(): Promise<Store>;
  cleanup(): Promise<void>;
}

export type Scenario = (d: Drive, fixture: Fixture) => Promise<void>;
