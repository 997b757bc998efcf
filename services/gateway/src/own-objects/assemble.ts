import { randomUUID } from "node:crypto";
import type { Log } from "@orch/runtime/log.js";
import type { ServingSettings } from "../serving-settings.js";
import { keepOwnObjects, type OwnObjectsDeps } from "./keep.js";

export interface AssembleOwnObjectsDeps extends Omit<OwnObjectsDeps, "flags" | "log"> {
  readonly log: Log;
}

/** The objects by which a gateway makes itself known to the cluster, unless another process writes them. */
export interface OwnObjects {
  /** The port that the gateway listens on is a part of its name where there may be several on a host. */
  start(port: number): void;
  /** Does not wait for a renewal that is under way: the service that it asks may be away. */
  stop(): void;
}

export function assembleOwnObjects(
  { identity, tls: flags }: Pick<ServingSettings, "identity" | "tls">,
  { log, ...deps }: AssembleOwnObjectsDeps,
): OwnObjects {
  const stopping = new AbortController();
  const own: OwnObjectsDeps = { ...deps, flags, log: (what, err) => log.warn({ err }, what) };
  return {
    start(port) {
      if (identity === undefined) return;
      const { host, isAlone } = identity;
      const place = isAlone ? host : `${host}:${port}`;
      void keepOwnObjects(own, { place, host, uid: randomUUID(), now: deps.clock.now }, stopping.signal);
    },
    stop: () => stopping.abort(),
  };
}
