import type { Client } from "@orch/client/http/http.js";
import type { Clock } from "@orch/runtime/clock.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Identity } from "./garbage/references.js";

export interface Warning {
  readonly about: Identity;
  /** `OwnerRefInvalidNamespace`. */
  readonly reason: string;
  readonly message: string;
}

export interface EventRecorder {
  /** Stores it once for an object, reason and message. Never rejects. */
  warn(warning: Warning): Promise<void>;
}

const remembered = 1000;

/** Stores Events about objects, so that their owners read what a controller thinks of them. */
export function createEventRecorder(deps: {
  readonly client: Client;
  /** The controller that speaks. */
  readonly component: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}): EventRecorder {
  const told = new Set<string>();
  return {
    async warn({ about, reason, message }) {
      const key = `${about.uid} ${reason} ${message}`;
      if (told.has(key)) return;
      told.add(key);
      if (told.size > remembered) told.clear();
      // What lies in no namespace has its events in the default one.
      const namespace = about.namespace === "" ? "default" : about.namespace;
      const { apiVersion, kind, name, uid } = about;
      const now = deps.clock.now();
      const time = wireTime(now);
      const suffix = `${now.toString(16)}${Math.floor(deps.random() * 0x10000).toString(16)}`;
      const event = {
        metadata: { name: `${name.slice(0, 230)}.${suffix}`, namespace },
        involvedObject: { apiVersion, kind, name, uid, ...(about.namespace === "" ? {} : { namespace }) },
        type: "Warning",
        reason,
        message,
        source: { component: deps.component },
        reportingComponent: deps.component,
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      };
      const events = { group: "", version: "v1", resource: "events", namespace };
      await deps.client.create(events, event, { signal: deps.signal }).catch((error: unknown) => {
        if (!deps.signal.aborted) deps.onError(error);
      });
    },
  };
}
