import {
  bindPod,
  type Permission,
  permit,
  postBind,
  preBindPod,
  release,
  reserve,
} from "@orch/scheduling/cycle/binding.js";
import { type Decision, type Placed, type Refused, reasonToSkip } from "@orch/scheduling/cycle/schedule.js";
import type { Profile } from "@orch/scheduling/framework/profile.js";
import { messageOf as messageOfRejection, type Rejection } from "@orch/scheduling/framework/status.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import type { Waiting } from "@orch/scheduling/queue/scheduling-queue.js";
import type { Scheduling } from "@orch/scheduling/scheduling.js";
import { type Clock, sleep } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Events } from "./events.js";
import { decideWith } from "./extenders/decide.js";
import type { Extender } from "./extenders/extender.js";
import type { Telemetry } from "./telemetry.js";
import { createTimed } from "./timed.js";
import type { PermitBoard } from "./waiting-pods.js";
import type { Told, Writes } from "./writes.js";

export interface DriverDeps {
  readonly scheduling: Scheduling;
  readonly extenders: readonly Extender[];
  readonly writes: Writes;
  readonly events: Events;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly permits: PermitBoard;
  /** Pods that are being bound or told of at once; more wait with their cycles. */
  readonly mostUnderWay: number;
  readonly onError: (error: unknown) => void;
}

/** Runs cycles, one after the other, and binds beside them. */
export interface Driver {
  /** Something has changed: there may be a pod to try. */
  wake(): void;
  podGone(key: string): void;
  /** Until the signal aborts; settles when nothing is being written any more. */
  run(signal: AbortSignal): Promise<void>;
}

/** So long cycles run without letting anything else have a turn. */
const turnMs = 8;
const flushMs = 1_000;
const nothingRefused = { plugins: new Set<string>(), pending: new Set<string>() } as const;

export function createDriver(deps: DriverDeps): Driver {
  const { scheduling, extenders, writes, events, telemetry, clock, permits, mostUnderWay, onError } = deps;
  const { queue, cluster, cycles, profiles } = scheduling;
  const now = clock.monotonic;
  const timed = createTimed(telemetry, now);
  /** What pods' status says of their last attempt. */
  const told = new Map<string, string>();
  let underWay = 0;
  let running: AbortSignal | undefined;
  let isPlanned = false;
  /** A cycle waits for others that it has asked; there is one at a time. */
  let isAsking = false;
  let idle = (): void => {};

  const beside = (work: Promise<unknown>): void => {
    underWay += 1;
    void work.catch(onError).finally(() => {
      underWay -= 1;
      wake();
      if (underWay === 0) idle();
    });
  };

  function wake(): void {
    if (isPlanned || isAsking || running === undefined || running.aborted) return;
    isPlanned = true;
    setImmediate(turn);
  }

  function turn(): void {
    isPlanned = false;
    const signal = running;
    if (signal === undefined || signal.aborted) return;
    const until = now() + turnMs;
    while (!isAsking && underWay < mostUnderWay) {
      const waiting = queue.pop(now());
      if (waiting === undefined) return;
      attempt(waiting, signal);
      if (now() < until) continue;
      wake();
      return;
    }
  }

  function attempt(waiting: Waiting, signal: AbortSignal): void {
    const { pod, key } = waiting;
    const profile = profiles.get(pod.schedulerName);
    const skipped = reasonToSkip(pod, cluster);
    if (profile === undefined || skipped !== undefined) {
      if (skipped !== undefined && pod.terminating) warn(pod, skipped);
      queue.done(key);
      return;
    }
    const of = { waiting, profile, began: now(), signal };
    const interested = extenders.filter((extender) => extender.isInterested(pod));
    if (interested.length > 0) beside(ask(of, interested));
    else act(of, decided(profile, pod, of.began));
  }

  /** A plugin that throws fails this attempt, and keeps no other pod waiting. */
  function decided(profile: Profile, pod: PodInfo, began: number): Decision {
    try {
      return cycles.schedule(profile, pod, began);
    } catch (error) {
      return { outcome: "failed", message: messageOf(error) };
    }
  }

  const warn = (pod: PodInfo, note: string): void =>
    events.tell({ pod, type: "Warning", reason: "FailedScheduling", action: "Scheduling", note });

  async function ask(of: Attempt, interested: readonly Extender[]): Promise<void> {
    const { waiting, profile, began, signal } = of;
    isAsking = true;
    const deps = { cycles, extenders: interested, now: began, signal, onError };
    const failure = (error: unknown): Decision => ({ outcome: "failed", message: messageOf(error) });
    const decision = await decideWith(profile, waiting.pod, deps).catch(failure);
    isAsking = false;
    act(of, decision);
  }

  function act(of: Attempt, decision: Decision): void {
    telemetry.decided((now() - of.began) / 1000);
    if (decision.outcome === "placed") place(of, decision);
    else if (decision.outcome === "refused") refuse(of, decision);
    else fail(of, decision.message);
  }

  interface Attempt {
    readonly waiting: Waiting;
    readonly profile: Profile;
    readonly began: number;
    readonly signal: AbortSignal;
  }

  function place(attempt: Attempt, { node }: Placed): void {
    const { waiting, profile } = attempt;
    const { pod, key } = waiting;
    cluster.assume(pod, node);
    cluster.nominations.clear(key);
    const rejection = timed.atOnce("Reserve", profile, () => reserve(profile, pod, node));
    const permission = rejection ?? permit(profile, pod, node);
    if ("code" in permission) undo(attempt, node, permission);
    else if (permission.waitsFor.size === 0) beside(bind(attempt, node));
    else void waitForPermit(attempt, node, permission).catch(onError);
  }

  /** Who waits holds up nobody: the others that it may wait for must get their turn. */
  async function waitForPermit(attempt: Attempt, node: string, permission: Permission): Promise<void> {
    const { signal, waiting } = attempt;
    const began = now();
    const rejection = await permits.wait(waiting.pod, node, { ...permission, clock, signal });
    telemetry.waited(rejection === undefined, (now() - began) / 1000);
    if (rejection !== undefined) undo(attempt, node, rejection);
    else beside(bind(attempt, node));
    wake();
  }

  async function bind(attempt: Attempt, node: string): Promise<void> {
    const { waiting, profile, began, signal } = attempt;
    const { pod, key } = waiting;
    const rejection =
      (await timed.later("PreBind", profile, () => preBindPod(profile, pod, node, signal))) ??
      (await timed.later("Bind", profile, () => bindPod(profile, pod, node, signal)));
    if (rejection !== undefined) {
      undo(attempt, node, rejection);
      return;
    }
    queue.done(key);
    told.delete(key);
    postBind(profile, pod, node, onError);
    const at = now();
    telemetry.attempted("scheduled", profile.schedulerName, (at - began) / 1000);
    telemetry.bound(waiting.attempts, (at - waiting.added) / 1000);
    const note = `Successfully assigned ${key} to ${node}`;
    events.tell({ pod, type: "Normal", reason: "Scheduled", action: "Binding", note });
  }

  /** It was placed and does not come to its node. */
  function undo(attempt: Attempt, node: string, rejection: Rejection): void {
    const { pod } = attempt.waiting;
    release(attempt.profile, pod, node, { cluster, queue, now: now() });
    if (rejection.code === "Error") {
      fail(attempt, messageOfRejection(rejection));
      return;
    }
    const plugins = new Set([rejection.plugin]);
    settle(attempt, { refused: { plugins, pending: nothingRefused.pending }, result: "unschedulable" });
    tellRefused(attempt, { reason: "Unschedulable", message: messageOfRejection(rejection), nominatedNode: "" });
  }

  function fail(attempt: Attempt, message: string): void {
    settle(attempt, { refused: nothingRefused, result: "error" });
    const { nominatedNode } = attempt.waiting.pod;
    tellRefused(attempt, { reason: "SchedulerError", message, nominatedNode });
  }

  function refuse(attempt: Attempt, decision: Refused): void {
    const { pod, key } = attempt.waiting;
    const { nomination, message } = decision;
    if (nomination !== undefined) {
      cluster.nominations.set(pod, nomination.node);
      telemetry.preempted(nomination.victims.length);
      beside(makeRoom(attempt, nomination));
    } else if (decision.clearNomination) cluster.nominations.clear(key);
    settle(attempt, { refused: decision, result: "unschedulable" });
    const kept = decision.clearNomination ? "" : pod.nominatedNode;
    tellRefused(attempt, { reason: "Unschedulable", message, nominatedNode: nomination?.node ?? kept });
  }

  async function makeRoom({ waiting, signal }: Attempt, to: NonNullable<Refused["nomination"]>): Promise<void> {
    const { pod } = waiting;
    await Promise.all(
      to.victims.map(async (victim) => {
        const held = permits.get(victim.uid);
        if (held !== undefined) held.reject("DefaultPreemption", "preempted");
        else await writes.evict(victim, pod.schedulerName, signal);
        const note = `Preempted by pod ${pod.uid} on node ${to.node}`;
        events.tell({ pod: victim, related: pod, type: "Normal", reason: "Preempted", action: "Preempting", note });
      }),
    );
  }

  function settle(
    { waiting, profile, began }: Attempt,
    {
      refused,
      result,
    }: { readonly refused: Pick<Waiting, "plugins" | "pending">; readonly result: "unschedulable" | "error" },
  ): void {
    const at = now();
    queue.requeue(waiting, refused, at);
    queue.done(waiting.key);
    telemetry.attempted(result, profile.schedulerName, (at - began) / 1000);
  }

  /** A status that says so already is not written again. */
  function tellRefused({ waiting, signal }: Attempt, what: Told): void {
    const { pod, key } = waiting;
    // Who leads no more tells nobody anything.
    if (signal.aborted) return;
    warn(pod, what.message);
    const text = JSON.stringify([pod.uid, what]);
    if (told.get(key) === text) return;
    told.set(key, text);
    const untold = (error: unknown): void => {
      told.delete(key);
      throw error;
    };
    beside(writes.refuse(pod, what, signal).catch(untold));
  }

  return {
    wake,
    podGone(key) {
      told.delete(key);
      for (const held of permits.all()) if (held.pod.key === key) held.reject("", "the pod is gone");
    },
    async run(signal) {
      running = signal;
      wake();
      while (!signal.aborted) {
        const next = queue.nextFlush();
        await sleep(clock, Math.max(1, Math.min(flushMs, (next ?? Number.POSITIVE_INFINITY) - now())), signal);
        queue.flush(now());
        wake();
      }
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      }
      running = undefined;
    },
  };
}
