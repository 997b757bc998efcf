import type { ObjectSource } from "@orch/auth/object-source.js";
import { type Clock, sleep } from "@orch/runtime/clock.js";
import type { TlsFlagValues } from "../tls/flags.js";
import type { TlsSource } from "../tls/material.js";
import { authenticationData, authenticationMap, configMaps } from "./authentication-map.js";
import { type Identity, renewIdentity, renewMs } from "./identity-lease.js";
import { type OwnWriteDeps, writeOwn } from "./write.js";

export interface OwnObjectsDeps extends OwnWriteDeps {
  readonly clock: Clock;
  readonly objects: ObjectSource;
  readonly tls: TlsSource;
  readonly flags: TlsFlagValues;
  readonly log: (what: string, error: unknown) => void;
}

const retryMs = 1000;

/** Keeps what a gateway says of itself to the cluster, until the signal. */
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
  ]);
}

/** Looked at as often as the lease is renewed: files may have changed, and somebody may have written it. */
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

/** What fails is tried again soon; told once, as a start-up's first tries may come too early. */
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
