import { wireTime } from "@orch/status/wire-time.js";
import type { Client } from "../client.js";
import type { ApiObject } from "../objects.js";
import { unlessPast } from "../passing.js";
import { patchTypes } from "../patch-types.js";
import { createCorrelator, type Told } from "./correlate.js";

/** Something that is told about an object. */
export interface ObjectEvent {
  readonly about: ApiObject;
  /** Of the object: lists do not say. */
  readonly kind: { readonly apiVersion: string; readonly kind: string };
  readonly type: "Normal" | "Warning";
  /** `SuccessfulCreate`. */
  readonly reason: string;
  readonly message: string;
}

export interface EventRecorder {
  /** Stores it beside what else goes on: repeated ones are counted, similar ones gathered, and too many left out. */
  tell(event: ObjectEvent): void;
}

interface Sight {
  readonly event: ObjectEvent;
  readonly told: Told;
}

export interface EventRecorderDeps {
  readonly client: Pick<Client, "create" | "patch">;
  /** Who tells: `deployment-controller`. */
  readonly component: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Events that are being stored; more are dropped: they are news, not state. */
const mostUnderWay = 256;
const longestMessage = 1024;

export function createEventRecorder({ client, component, now, random, onError }: EventRecorderDeps): EventRecorder {
  const correlator = createCorrelator({ now });
  /** By name, events that are being stored, with what is to be stored over each after that. */
  const underWay = new Map<string, Sight | undefined>();

  const eventOf = ({ about, kind, type, reason }: ObjectEvent, told: Told): ApiObject => {
    const { name = "", namespace = "", uid, resourceVersion } = about.metadata;
    const { apiVersion } = kind;
    const place = namespace === "" ? {} : { namespace };
    return {
      metadata: { name: told.name, namespace: spaceOf(about) },
      involvedObject: { apiVersion, kind: kind.kind, name, uid, resourceVersion, ...place },
      ...{ type, reason, message: shortened(told.message) },
      source: { component },
      // Readers know a combined one by its source alone.
      ...(told.combined ? {} : { reportingComponent: component }),
      firstTimestamp: wireTime(told.firstAt),
      lastTimestamp: wireTime(told.lastAt),
      count: told.count,
    };
  };
  const store = async ({ event, told }: Sight): Promise<void> => {
    const events = { group: "", version: "v1", resource: "events", namespace: spaceOf(event.about) };
    if (told.count > 1) {
      const body = { count: told.count, lastTimestamp: wireTime(told.lastAt), message: shortened(told.message) };
      const changed = await client.patch(events, told.name, { type: patchTypes.strategic, body }).catch(unlessPast);
      // Events are not kept for long: one that is gone is stored anew.
      if (changed !== undefined) return;
    }
    await client.create(events, eventOf(event, told));
  };
  /** One write of an event after the other: a count would come before what it counts. The last one counts all. */
  const storeInTurn = async (first: Sight): Promise<void> => {
    const { name } = first.told;
    let next: Sight | undefined = first;
    while (next !== undefined) {
      underWay.set(name, undefined);
      await store(next).catch(onError);
      next = underWay.get(name);
    }
    underWay.delete(name);
  };
  return {
    tell(event) {
      if (underWay.size >= mostUnderWay) return;
      const { name = "", uid = "", namespace = "" } = event.about.metadata;
      const told = correlator.see({
        object: `${event.kind.kind}/${namespace}/${name}/${uid}`,
        ...{ type: event.type, reason: event.reason, message: event.message },
        newName: (at) => `${name.slice(0, 230)}.${at.toString(16)}${Math.floor(random() * 0x10000).toString(16)}`,
      });
      if (told === undefined) return;
      if (underWay.has(told.name)) underWay.set(told.name, { event, told });
      else void storeInTurn({ event, told });
    },
  };
}

/** What lies in no namespace has its events in the default one. */
function spaceOf({ metadata }: ApiObject): string {
  return metadata.namespace === undefined || metadata.namespace === "" ? "default" : metadata.namespace;
}

function shortened(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 3)}...`;
}
