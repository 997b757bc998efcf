import type { AnyObject, ApiObject } from "@orch/api/object.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import { key } from "@orch/store/revision.js";
import { isOvertaken, removeKept } from "./write/kept-object.js";
import { storedObject } from "./write/storing/stored.js";
import { builtIn, type WriteDeps } from "./write/write.js";

interface Lease extends ApiObject {
  readonly spec?: { readonly renewTime?: string; readonly leaseDurationSeconds?: number };
}

/** As the reference: once an hour, which is how long a lease lasts. */
const roundMs = 3_600_000;

/** Forgets gateways that do not run any more, by the leases in which they said that they do, until the signal. */
export async function collectIdentityLeases(
  deps: WriteDeps & { readonly log: (what: string, error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await removeExpired(deps).catch((error: unknown) => {
      if (!signal.aborted) deps.log("forgetting gateways failed; trying again", error);
    });
    await sleep(systemClock, roundMs, signal);
  }
}

/** How many it removed. @throws ApiError */
export async function removeExpired(deps: WriteDeps): Promise<number> {
  const { naming, store, now } = deps;
  const kind = builtIn({ deps }, `${naming.group("coordination")}/v1`, "Lease");
  const prefix = key(`${naming.storePrefix}${kind.storage.prefix}/${naming.systemName("system")}/`);
  const { entries } = await store.range({ prefix });
  const label = `apiserver.${naming.key("identity")}`;
  const expired = entries
    .map((entry) => storedObject(kind, entry))
    .filter(({ metadata }) => metadata.labels?.[label] === naming.systemName("apiserver"))
    .filter((lease) => isExpired(lease, now()));
  for (const lease of expired) {
    await removeKept(deps, kind, lease).catch((error: unknown) => {
      if (!isOvertaken(error)) throw error;
    });
  }
  return expired.length;
}

/** A lease that says nothing of its time belongs to nobody. */
function isExpired(lease: AnyObject, now: number): boolean {
  const { renewTime, leaseDurationSeconds }: NonNullable<Lease["spec"]> = Object(lease["spec"]);
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < now;
}
