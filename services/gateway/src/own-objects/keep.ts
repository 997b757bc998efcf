import type { ObjectSource } from "@orch/auth/object-source.js";
import { type Clock, sleep } from "@orch/runtime/clock.js";
import type { TlsFlagValues } from "../tls/flags.js";
import type { TlsSource } from "../tls/material.js";
import { authenticationData, authenticationMap, configMaps } from "./authentication-map.js";
import { type Identity, renewIdentity, renewMs } from "./identity-lease.js";
import { dayOf, isTracking, trackingMap } from "./token-use.js";
import { type OwnWriteDeps, writeOwn } from "./write.js";

export interface OwnObjectsDeps extends OwnWriteDeps {
  readonly clock: Clock;
  readonly objects: ObjectSource;
  readonly tls: TlsSource;
  readonly flags: TlsFlagValues;
  readonly log: (what: string, error: unknown) => void;
}

const retryMs = 1000;

/** Keeps the objects by which a gateway makes itself known to the cluster, until the signal. */
export async function keepOwnObjects(deps: OwnObjectsDeps, identity: Identity, signal: AbortSignal): Promise<void> {
  await Promise.all([
    again(deps, signal, async () => {
      await renewIdentity(deps, identity);
      return renewMs;
    }),
    again(deps, signal, async () => {
      await keepAuthenticationMap(deps);
      return renewMs;
    }),
    again(deps, signal, async () => {
      await keepTrackingMap(deps);
      return renewMs;
    }),
  ]);
}

/** Checked as often as the lease is renewed: the files may have changed, or somebody may have edited the object. */
async function keepAuthenticationMap(deps: OwnObjectsDeps): Promise<void> {
  const data = authenticationData(deps.tls.current(), deps.flags);
  if (Object.keys(data).length === 0) return;
  const namespace = deps.naming.systemName("system");
  const stored = await deps.objects.get({ ...configMaps, namespace }, authenticationMap);
  const known: unknown = stored?.["data"];
  const has = (key: string, value: string): boolean =>
    typeof known === "object" && known !== null && Object.entries(known).some(([k, v]) => k === key && v === value);
  if (Object.entries(data).every(([key, value]) => has(key, value))) return;
  await writeOwn(deps, configMaps, authenticationMap, { data });
}

/** Since when the use of Secrets' tokens is recorded: tokens that were used before are not taken for unused. */
async function keepTrackingMap(deps: OwnObjectsDeps): Promise<void> {
  const namespace = deps.naming.systemName("system");
  const name = trackingMap(deps.naming);
  const stored = await deps.objects.get({ ...configMaps, namespace }, name);
  if (isTracking(stored?.["data"])) return;
  await writeOwn(deps, configMaps, name, { data: { since: dayOf(deps.clock.now()) } });
}

/** Retries failed work soon. It is logged once, after several failures: the first attempts of a start may come too early. */
async function again({ clock, log }: OwnObjectsDeps, signal: AbortSignal, work: () => Promise<number>): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let pauseMs = retryMs;
    try {
      pauseMs = await work();
      failures = 0;
    } catch (error) {
      failures++;
      if (failures === toldAfter && !signal.aborted)
        log("a gateway's own objects cannot be written; trying again", error);
    }
    await sleep(clock, pauseMs, signal);
  }
}

const toldAfter = 10;
