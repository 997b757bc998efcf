import type { Client } from "@orch/client/client.js";
import type { Naming } from "@orch/naming/naming.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import { wireMicroTime } from "@orch/status/wire-time.js";

export interface PodEvent {
  readonly pod: PodInfo;
  readonly type: "Normal" | "Warning";
  readonly reason: "Scheduled" | "FailedScheduling" | "Preempted";
  readonly action: "Binding" | "Scheduling" | "Preempting";
  readonly note: string;
  /** Another pod that it is about. */
  readonly related?: PodInfo;
}

export interface EventsDeps {
  readonly client: Pick<Client, "create">;
  readonly naming: Naming;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Of this process. */
  readonly instance: string;
  readonly onError: (error: unknown) => void;
}

export interface Events {
  /** Stores it beside what else goes on; the same of a pod once in a while. */
  tell(event: PodEvent): void;
}

const longestNote = 1024;
const cut = " ...";
/** The same sentence about the same pod is stored again after so long. */
const quietMs = 5 * 60_000;
const remembered = 4096;
/** Events that are being stored; more are dropped: they are news, not state. */
const mostUnderWay = 256;

export function createEvents({ client, naming, now, random, instance, onError }: EventsDeps): Events {
  const group = naming.group("events");
  const told = new Map<string, number>();
  let underWay = 0;
  const reference = ({ namespace, name, uid }: PodInfo) => ({ apiVersion: "v1", kind: "Pod", namespace, name, uid });
  return {
    tell({ pod, type, reason, action, note, related }) {
      const key = `${pod.uid} ${reason} ${note}`;
      const at = now();
      const before = told.get(key);
      if ((before !== undefined && at - before < quietMs) || underWay >= mostUnderWay) return;
      if (told.size >= remembered) told.clear();
      told.set(key, at);
      const suffix = `${at.toString(16)}${Math.floor(random() * 0x10000).toString(16)}`;
      const event = {
        metadata: { name: `${pod.name.slice(0, 230)}.${suffix}`, namespace: pod.namespace },
        eventTime: wireMicroTime(at),
        ...{ reportingController: pod.schedulerName, reportingInstance: instance, action, reason, type },
        regarding: reference(pod),
        ...(related === undefined ? {} : { related: reference(related) }),
        note: shortened(note),
      };
      underWay += 1;
      const done = client.create({ group, version: "v1", resource: "events", namespace: pod.namespace }, event);
      void done.catch(onError).finally(() => {
        underWay -= 1;
      });
    },
  };
}

/** A note has at most 1,024 bytes. */
function shortened(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= longestNote) return note;
  return `${bytes
    .subarray(0, longestNote - cut.length)
    .toString("utf8")
    .replaceAll("\ufffd", "")}${cut}`;
}
