import type { Log } from "@orch/runtime/log.js";
import type { Clock } from "@orch/status/clock.js";
import type { Backend } from "../kernel/backend.js";
import { type StaleFlow, staleFlows } from "../kernel/conntrack.js";
import { createFlowForgetter, type FlowForgetter } from "../kernel/flow-forgetter.js";
import type { RunProgram } from "../kernel/programs.js";
import type { BalancedPort } from "../model/balance.js";
import type { Cluster } from "../model/cluster.js";
import type { Family } from "../model/family.js";
import type { Ruleset, Surroundings } from "../ruleset.js";
import type { Telemetry } from "../telemetry.js";
import type { Outcome } from "./runner.js";

/** The rules of one family and their way into the kernel. */
export interface Side {
  readonly family: Family;
  readonly ruleset: Ruleset;
  readonly backend: Backend;
}

export interface ProxierDeps {
  readonly cluster: Cluster;
  readonly sides: readonly Side[];
  /** What rules of a family depend on beside services; undefined: not known yet. */
  readonly surroundings: (family: Family) => Surroundings | undefined;
  readonly run: RunProgram;
  readonly clock: Pick<Clock, "monotonic">;
  readonly telemetry: Telemetry;
  readonly log: Pick<Log, "debug" | "warn" | "error">;
  /** Milliseconds after which all rules are written anew, whatever the kernel says; undefined: never. */
  readonly wholeMs: number | undefined;
  /** Milliseconds between looks at whether others have removed the rules. */
  readonly lookMs: number;
}

/** Brings rules to what the cluster says, a sync at a time. */
export interface Proxier {
  sync(): Promise<Outcome>;
  /** Resolves when no program runs for it. */
  stop(): Promise<void>;
}

interface SideState {
  readonly side: Side;
  /** By service: to know which endpoints have gone. */
  readonly written: Map<string, readonly BalancedPort[]>;
  readonly stale: StaleFlow[];
  readonly forgetter: FlowForgetter;
  wholeAt: number;
  lookedAt: number;
}

export function createProxier(deps: ProxierDeps): Proxier {
  const { cluster, surroundings, clock, telemetry, log } = deps;
  const states = deps.sides.map((side): SideState => {
    const now = clock.monotonic();
    const { family } = side;
    const forgetter = createFlowForgetter({
      ...{ family, run: deps.run },
      onError: (err) => log.warn({ err, family }, "connections to endpoints that are gone could not be ended"),
    });
    return { side, written: new Map(), stale: [], forgetter, wholeAt: now, lookedAt: now };
  });

  telemetry.sizes(() => deps.sides.map(({ ruleset }) => ruleset.sizes));

  const takeChanges = (): void => {
    for (const { service, ports } of cluster.take()) {
      for (const { side, written, stale } of states) {
        const next = ports[side.family];
        stale.push(...staleFlows(written.get(service) ?? [], next));
        if (next.length === 0) written.delete(service);
        else written.set(service, next);
        side.ruleset.put(service, next);
      }
    }
  };

  const syncSide = async (state: SideState): Promise<Outcome> => {
    const { side, stale } = state;
    const { ruleset, backend, family } = side;
    const around = surroundings(family);
    if (around === undefined) return { ok: true, againAfter: undefined };
    const began = clock.monotonic();
    ruleset.surround(around);
    try {
      const isOld = deps.wholeMs !== undefined && began - state.wholeAt >= deps.wholeMs;
      if (isOld || (await isLost(state, began))) ruleset.forget();
      const chains = ruleset.isKnown ? undefined : await backend.chains();
      const writing = ruleset.write(began, chains);
      const { text, isWhole, againAfter } = writing;
      if (text !== "") await backend.load(writing);
      if (isWhole) state.wholeAt = began;
      telemetry.synced(isWhole ? "full" : "partial", (clock.monotonic() - began) / 1000);
      if (text !== "") log.debug({ family, isWhole, bytes: text.length }, "rules are written");
      state.forgetter.forget(stale.splice(0));
      return { ok: true, againAfter };
    } catch (err) {
      ruleset.forget();
      telemetry.failed();
      log.error({ err, family }, "rules could not be written; they are written anew after the sync period");
      return { ok: false, againAfter: undefined };
    }
  };

  const isLost = async (state: SideState, now: number): Promise<boolean> => {
    if (!state.side.ruleset.isKnown || now - state.lookedAt < deps.lookMs) return false;
    state.lookedAt = now;
    if (await state.side.backend.isIntact()) return false;
    log.warn({ family: state.side.family }, "somebody has removed the rules: they are written anew");
    return true;
  };

  return {
    async sync() {
      takeChanges();
      const outcomes: Outcome[] = [];
      // One after the other: iptables has one lock for both.
      for (const state of states) outcomes.push(await syncSide(state));
      const soonest = Math.min(...outcomes.map(({ againAfter = Number.POSITIVE_INFINITY }) => againAfter));
      return {
        ok: outcomes.every(({ ok }) => ok),
        againAfter: Number.isFinite(soonest) ? soonest : undefined,
      };
    },
    async stop() {
      await Promise.all(states.map(({ forgetter }) => forgetter.stop()));
    },
  };
}
