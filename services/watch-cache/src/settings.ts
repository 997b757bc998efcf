import type { FeatureGates } from "@orch/runtime/flags/feature-gates.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { type WatchCacheConfig, watchCacheDefaults } from "./config.js";
import type { watchCacheFlags } from "./flags.js";

/** What the flags and gates say. No two flags exclude each other, so there is nothing to refuse. */
export function watchCacheSettings(
  values: FlagValues<typeof watchCacheFlags>,
  { gates }: { readonly gates: FeatureGates },
): WatchCacheConfig {
  return {
    ...watchCacheDefaults,
    streamingLists: gates.enabled("WatchList"),
    historyMs: values["history-duration"],
    // Not a shift: that makes a negative number of two gigabytes.
    historyBytes: values["history-megabytes"] * 1024 * 1024,
    bookmarkMs: values["bookmark-interval"],
  };
}
