import { type ClusterEvent, concerns, eventLabel, podActions, type Registration } from "../framework/events.js";
import type { Queued } from "../framework/plugin.js";
import type { Rejection } from "../framework/status.js";
import type { PodInfo } from "../model/pod-info.js";
import { type Backoff, backoffMs } from "./backoff.js";
import { createHeap } from "./heap.js";
import { createInFlight } from "./in-flight.js";

export type Part = "active" | "backoff" | "unschedulable" | "gated";

/** A pod that waits for a node. All times are milliseconds of the caller's clock. */
export interface Waiting extends Queued {
  /** Of the pod, `namespace/name`. */
  readonly key: string;
  /** How often it has been tried. */
  readonly attempts: number;
  /** When it was first added. */
  readonly added: number;
  readonly firstAttempt: number | undefined;
  /** Plugins that refused it last, and of them those that wait for something outside. */
  readonly plugins: ReadonlySet<string>;
  readonly pending: ReadonlySet<string>;
  /** Keeps it out of the queue. */
  readonly gate: Rejection | undefined;
}

export interface QueueOptions {
  readonly compare: (a: Queued, b: Queued) => number;
  readonly preEnqueue: (pod: PodInfo) => Rejection | undefined;
  /** Events that plugins of a pod's profile wait for; undefined: a plugin waits for every event. */
  readonly eventsOf: (pod: PodInfo, plugin: string) => readonly Registration[] | undefined;
  readonly backoff: Backoff;
  /** After so long a pod is tried again though nothing has happened. */
  readonly maxUnschedulableMs: number;
  /** Told of each pod that enters a part, and why. */
  readonly entered?: (part: Part, event: string) => void;
}

export interface SchedulingQueue {
  /** A pod without a node came. */
  add(pod: PodInfo, now: number): void;
  /** It changed; nothing of one that is not here or on its way. */
  update(before: PodInfo, after: PodInfo, now: number): void;
  delete(key: string): void;
  /** The next pod to try; it is on its way until {@link done}. */
  pop(now: number): Waiting | undefined;
  /** It was refused, or the attempt failed (no plugins): it waits, or is tried again after its backoff. */
  requeue(pod: Waiting, refused: Pick<Waiting, "plugins" | "pending">, now: number): void;
  /** It is bound, gone, or was requeued: events no longer concern it as one on its way. */
  done(key: string): void;
  /** Something happened that may make pods schedulable. */
  happened(event: ClusterEvent, now: number): void;
  /** To be called once a second or so, and whenever {@link nextFlush} is over. */
  flush(now: number): void;
  /** When the next backoff is over. */
  nextFlush(): number | undefined;
  /** Pods that somebody wants to be tried at once. */
  activate(keys: Iterable<string>, now: number): void;
  sizes(): Readonly<Record<Part, number>>;
  get(key: string): Waiting | undefined;
  /** How many pods that wait for something each plugin has refused, by profile. */
  refused(): readonly { readonly profile: string; readonly plugin: string; readonly pods: number }[];
}

type Verdict = "stay" | "after backoff" | "at once";

type Since =
  | { readonly is: "gone" }
  | { readonly is: "changed" | "another"; readonly pod: PodInfo; readonly at: number };

interface Resting extends Waiting {
  readonly until: number;
}

const nobody: ReadonlySet<string> = new Set();

export function createSchedulingQueue(options: QueueOptions): SchedulingQueue {
  const { compare, preEnqueue, eventsOf, backoff, maxUnschedulableMs, entered } = options;
  const active = createHeap<Waiting>(compare);
  const resting = createHeap<Resting>((a, b) => a.until - b.until);
  const unschedulable = new Map<string, Waiting>();
  /** Unschedulable pods by profile and by the plugins that refused them: an event is shown to those that may care. */
  const byPlugin = new Map<string, Map<string, Set<string>>>();
  const inFlight = createInFlight();
  /** What became of pods while they were on their way. */
  const since = new Map<string, Since>();
  let gated = 0;

  const shelve = (pod: Waiting, event: string): void => {
    unschedulable.set(pod.key, pod);
    if (pod.gate !== undefined) gated += 1;
    const plugins = byPlugin.get(pod.pod.schedulerName) ?? new Map<string, Set<string>>();
    byPlugin.set(pod.pod.schedulerName, plugins);
    for (const plugin of refusers(pod)) {
      const keys = plugins.get(plugin) ?? new Set<string>();
      plugins.set(plugin, keys);
      keys.add(pod.key);
    }
    entered?.(pod.gate === undefined ? "unschedulable" : "gated", event);
  };
  const unshelve = (key: string): Waiting | undefined => {
    const pod = unschedulable.get(key);
    if (pod === undefined) return undefined;
    unschedulable.delete(key);
    if (pod.gate !== undefined) gated -= 1;
    const plugins = byPlugin.get(pod.pod.schedulerName);
    for (const plugin of refusers(pod)) {
      const keys = plugins?.get(plugin);
      keys?.delete(key);
      if (keys?.size === 0) plugins?.delete(plugin);
    }
    return pod;
  };
  const enterActive = (pod: Waiting, event: string): void => {
    const gate = preEnqueue(pod.pod);
    if (gate !== undefined) {
      shelve({ ...pod, gate, plugins: new Set([gate.plugin]), pending: nobody }, event);
      return;
    }
    active.set(pod.gate === undefined ? pod : { ...pod, gate: undefined });
    entered?.("active", event);
  };
  const restsUntil = ({ timestamp, attempts }: Waiting): number => timestamp + backoffMs(attempts, backoff);
  const rest = (pod: Waiting, now: number, event: string): void => {
    const until = restsUntil(pod);
    if (until <= now) {
      enterActive(pod, event);
      return;
    }
    resting.set({ ...pod, until });
    entered?.("backoff", event);
  };
  const move = (pod: Waiting, verdict: Verdict, at: { readonly now: number; readonly event: string }): void => {
    if (verdict === "at once") enterActive(pod, at.event);
    else if (verdict === "after backoff") rest(pod, at.now, at.event);
    else shelve(pod, at.event);
  };

  const verdictOn = (pod: Waiting, event: ClusterEvent): Verdict => {
    let verdict: Verdict = "stay";
    for (const plugin of refusers(pod)) {
      const registered = eventsOf(pod.pod, plugin);
      if (registered !== undefined && !registered.some((each) => isWorthIt(each, pod.pod, event))) continue;
      if (pod.pending.has(plugin)) return "at once";
      verdict = "after backoff";
    }
    return verdict;
  };
  const verdictOnMissed = (pod: Waiting): Verdict => {
    if (refusers(pod).size === 0) return "after backoff";
    let verdict: Verdict = "stay";
    for (const event of inFlight.since(pod.key)) {
      // A change of a pod that waits concerns nobody but itself.
      if (event.resource === "UnscheduledPod" && event.after?.key !== pod.key) continue;
      const one = verdictOn(pod, event);
      if (one === "at once") return one;
      if (one === "after backoff") verdict = one;
    }
    return verdict;
  };
  /** All of them are refused by one plugin of one profile: what one of them may care for, the others may. */
  const mayCare = (keys: ReadonlySet<string>, plugin: string, event: ClusterEvent): boolean => {
    const [first = ""] = keys;
    const pod = unschedulable.get(first)?.pod;
    if (pod === undefined) return false;
    const registered = eventsOf(pod, plugin);
    return registered === undefined || registered.some((each) => concerns(each, event));
  };
  const forget = (key: string): Waiting | undefined => active.delete(key) ?? resting.delete(key) ?? unshelve(key);

  return {
    add(pod, now) {
      if (inFlight.has(pod.key)) {
        since.set(pod.key, { is: "another", pod, at: now });
        return;
      }
      forget(pod.key);
      enterActive(fresh(pod, now), "PodAdd");
    },
    update(before, after, now) {
      const { key } = after;
      const [isActive, rests] = [active.get(key), resting.get(key)];
      if (isActive !== undefined) return active.set({ ...isActive, pod: after });
      if (rests !== undefined) return resting.set({ ...rests, pod: after });
      const actions = podActions(before, after);
      const event: ClusterEvent = { resource: "UnscheduledPod", actions, before, after };
      const shelved = unshelve(key);
      if (shelved !== undefined) {
        const changed = { ...shelved, pod: after };
        move(changed, verdictOn(changed, event), { now, event: eventLabel(event) });
        return;
      }
      if (!inFlight.has(key)) return enterActive(fresh(after, now), "PodAdd");
      since.set(key, { is: since.get(key)?.is === "another" ? "another" : "changed", pod: after, at: now });
      inFlight.record(event);
    },
    delete: (key) => {
      forget(key);
      if (inFlight.has(key)) since.set(key, { is: "gone" });
    },
    pop(now) {
      const pod = active.take();
      if (pod === undefined) return undefined;
      inFlight.begin(pod.key);
      return {
        ...pod,
        attempts: pod.attempts + 1,
        firstAttempt: pod.firstAttempt ?? now,
        plugins: nobody,
        pending: nobody,
      };
    },
    requeue(pod, { plugins, pending }, now) {
      const became = since.get(pod.key);
      if (became?.is === "gone" || became?.is === "another") return;
      const refused = {
        ...pod,
        plugins,
        pending,
        timestamp: now,
        ...(became === undefined ? {} : { pod: became.pod }),
      };
      move(refused, verdictOnMissed(refused), { now, event: "ScheduleAttemptFailure" });
    },
    done(key) {
      const became = since.get(key);
      since.delete(key);
      inFlight.end(key);
      if (became?.is === "another") enterActive(fresh(became.pod, became.at), "PodAdd");
    },
    happened(event, now) {
      inFlight.record(event);
      if (unschedulable.size === 0) return;
      const label = eventLabel(event);
      const keys = new Set<string>();
      for (const plugins of byPlugin.values()) {
        for (const [plugin, own] of plugins) {
          if (mayCare(own, plugin, event)) for (const key of own) keys.add(key);
        }
      }
      for (const key of keys) {
        const pod = unschedulable.get(key);
        const verdict = pod === undefined ? "stay" : verdictOn(pod, event);
        if (pod === undefined || verdict === "stay") continue;
        unshelve(key);
        move(pod, verdict, { now, event: label });
      }
    },
    flush(now) {
      for (let pod = resting.first(); pod !== undefined && pod.until <= now; pod = resting.first()) {
        resting.delete(pod.key);
        enterActive(pod, "BackoffComplete");
      }
      for (const pod of [...unschedulable.values()]) {
        if (now - pod.timestamp <= maxUnschedulableMs) continue;
        unshelve(pod.key);
        rest(pod, now, "UnschedulableTimeout");
      }
    },
    nextFlush: () => resting.first()?.until,
    activate(keys, now) {
      for (const key of keys) {
        const pod = resting.delete(key) ?? unshelve(key);
        if (pod !== undefined) enterActive({ ...pod, timestamp: now }, "ForceActivate");
      }
    },
    sizes: () => ({ active: active.size, backoff: resting.size, unschedulable: unschedulable.size - gated, gated }),
    get: (key) => active.get(key) ?? resting.get(key) ?? unschedulable.get(key),
    refused: () =>
      [...byPlugin].flatMap(([profile, plugins]) =>
        [...plugins].map(([plugin, keys]) => ({ profile, plugin, pods: keys.size })),
      ),
  };
}

const fresh = (pod: PodInfo, now: number): Waiting => ({
  key: pod.key,
  pod,
  timestamp: now,
  attempts: 0,
  added: now,
  firstAttempt: undefined,
  plugins: nobody,
  pending: nobody,
  gate: undefined,
});

const refusers = ({ plugins, pending }: Waiting): ReadonlySet<string> =>
  pending.size === 0 ? plugins : new Set([...plugins, ...pending]);

/** A hint that fails says nothing: better one attempt too many. */
function isWorthIt(registration: Registration, pod: PodInfo, event: ClusterEvent): boolean {
  if (!concerns(registration, event)) return false;
  try {
    return registration.hint?.(pod, event) ?? true;
  } catch {
    return true;
  }
}
