import { startFailure } from "@orch/runtime/shutdown.js";
import { StartError } from "./process.js";

/** One line for a person: why the local cluster did not start, and what to do. */
export function whyNotStarted(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT" && "path" in error && error.path === "etcd") {
    return "there is no program etcd here: install it (Debian: apt-get install etcd-server)";
  }
  // Those who write when nothing can be written any more say it each in their way.
  if (/no space left|ENOSPC/i.test(error.message)) {
    return "no space is left for the data of this cluster: free some, or have TMPDIR and --data-dir name a place with more";
  }
  if (error instanceof StartError) return error.reason;
  return startFailure(error).replaceAll(/\s*\n\s*/g, " ");
}
