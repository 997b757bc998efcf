import { compareQuantities } from "@orch/schema/formats/quantity.js";
import type { Resources } from "./resources.js";

/** A quota by which more may be asked for than used: what is used is never less than what is asked for. */
export function* quotaWarnings(hard: Resources): Iterable<string> {
  for (const name of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const bare = (name === "cpu" || name === "memory") && hard[`requests.${name}`] === undefined;
    const [request, limit] = [bare ? name : `requests.${name}`, `limits.${name}`];
    const [asked, used] = [hard[request], hard[limit]];
    if (asked === undefined || used === undefined || compareQuantities(asked, used) <= 0) continue;
    yield `ResourceQuota ${request} (${asked}) should be less than ${limit} (${used})`;
  }
}
