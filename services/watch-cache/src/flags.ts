import { durationFlag, intFlag } from "@orch/runtime/flags/flag-types.js";
import { watchCacheDefaults } from "./config.js";

/** Flags of whatever answers reads from memory. */
export const watchCacheFlags = {
  "history-duration": durationFlag(watchCacheDefaults.historyMs, {
    group: "Cache",
    help: "how long changes are kept for watches to resume",
  }),
  "history-megabytes": intFlag(watchCacheDefaults.historyBytes >> 20, {
    group: "Cache",
    min: 1,
    help: "bound of the kept changes of one resource",
  }),
  "bookmark-interval": durationFlag(watchCacheDefaults.bookmarkMs, {
    group: "Cache",
    help: "time between bookmarks of a watch",
  }),
} as const;
