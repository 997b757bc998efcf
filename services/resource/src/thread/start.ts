import { Worker } from "node:worker_threads";
import type { ThreadSettings } from "./messages.js";

/** What the largest bodies come to as trees, several times over; a body that wants more is refused. */
const maxHeapMb = 1024;

export function startThread(settings: ThreadSettings): Worker {
  return new Worker(new URL("./main.js", import.meta.url), {
    name: "large-writes",
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
}
