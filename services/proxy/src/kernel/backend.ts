import type { KnownChains, Writing } from "../ruleset.js";

export type Loaded = Pick<Writing, "text" | "isWhole" | "parts">;

/** The way of one address family's rules into the kernel. */
export interface Backend {
  /** Why it cannot be used on this machine; undefined: it can. */
  problem(): Promise<string | undefined>;
  /** Chains of ours that the kernel has. @throws Error with what the program said */
  chains(): Promise<KnownChains>;
  /** With a whole writing what leads to our rules is put right, too. @throws Error with what the program said */
  load(writing: Loaded): Promise<void>;
  /** Whether the rules are still there: others may flush them. */
  isIntact(): Promise<boolean>;
  /** Removes all of ours. @throws Error with what the program said */
  cleanUp(): Promise<void>;
}
