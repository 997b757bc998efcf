import type { Clock } from "@orch/status/clock.js";
import { type Address, parseTarget, type Resolve, resolveTarget } from "./addresses.js";
import { createLink, type Link } from "./link/client-link.js";
import type { LinkSecurity } from "./link/grpc-link.js";
import type { RpcLog } from "./log.js";

/** The instances of one service and the links to them. */
export interface Peers {
  /** The least loaded instance that takes calls; undefined when there is none. */
  pick(lane: Lane): Link | undefined;
  readonly ready: boolean;
  close(): void;
}

/**
 * Calls and streams go over different connections to a peer, where it has several: a get does not wait
 * behind the megabytes of a list.
 */
export type Lane = "calls" | "streams";

export interface PeersOptions {
  readonly target: string;
  readonly connections: number;
  readonly security: LinkSecurity | undefined;
  readonly version?: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly resolve: Resolve;
  readonly log: RpcLog;
  readonly onReady: () => void;
}

const resolveEveryMs = 30_000;
const resolveSoonMs = 1_000;
const firstBackoffMs = 50;
const maxBackoffMs = 3_000;

/** A slot for one connection: it holds a link, or waits to connect again. */
interface Slot {
  readonly link: Link | undefined;
  /** Makes no new link and lets the calls of the present one finish. */
  retire(): void;
  /** Ends everything at once. */
  close(): void;
}

function createSlot(address: Address, options: PeersOptions, onLost: () => void): Slot {
  const { clock, random, security, version, log } = options;
  // The present link and those that are finishing their calls.
  const alive = new Set<Link>();
  let link: Link | undefined;
  let failures = 0;
  let stopped = false;
  let cancelTimer = (): void => {};

  const retryLater = (): void => {
    // Jitter over the upper half: callers that lost a peer together do not reconnect together.
    const most = Math.min(maxBackoffMs, firstBackoffMs * 2 ** failures++);
    cancelTimer();
    cancelTimer = clock.after(most * (0.5 + random() / 2), attempt);
  };
  const attempt = (): void => {
    if (stopped) return;
    const mine = createLink({
      address: address.target,
      serverName: address.host,
      security,
      version,
      clock,
      onReady: () => {
        failures = 0;
        log.info({ peer: address.target }, "connected to a peer");
        options.onReady();
      },
      onDraining: () => lost(mine, "it is shutting down"),
      onDown: (reason) => {
        alive.delete(mine);
        lost(mine, reason);
      },
    });
    alive.add(mine);
    link = mine;
  };
  const lost = (which: Link, reason: string): void => {
    if (stopped || link !== which) return;
    link = undefined;
    log.warn({ peer: address.target, reason }, "lost a peer");
    retryLater();
    onLost();
  };
  attempt();
  return {
    get link() {
      return link;
    },
    retire: () => {
      stopped = true;
      cancelTimer();
      link?.drain();
    },
    close: () => {
      stopped = true;
      cancelTimer();
      for (const one of alive) one.close();
    },
  };
}

/**
 * A peer's link for a lane: the first link carries calls, the others carry streams. If a lane's own link is down,
 * another one stands in.
 */
function linkOf(slots: readonly Slot[], lane: Lane): Link | undefined {
  let best: Link | undefined;
  let bestFits = false;
  for (let i = 0; i < slots.length; i++) {
    const link = slots[i]?.link;
    if (!link?.takesCalls) continue;
    const fits = (i === 0) === (lane === "calls");
    if (best !== undefined && (bestFits || !fits) && (bestFits !== fits || best.load <= link.load)) continue;
    best = link;
    bestFits = fits;
  }
  return best;
}

export function createPeers(options: PeersOptions): Peers {
  const { clock, connections, log } = options;
  const parts = parseTarget(options.target);
  const peers = new Map<string, { readonly address: Address; readonly slots: readonly Slot[] }>();
  const retired = new Set<readonly Slot[]>();
  let closed = false;
  let cancelTimer = (): void => {};
  let resolving = false;

  // If a name cannot be resolved for the moment, its known instances are kept.
  const use = (addresses: readonly Address[], keep: readonly string[]): void => {
    const wanted = new Set(addresses.map(({ target }) => target));
    for (const [target, { address, slots }] of peers) {
      if (wanted.has(target) || keep.includes(address.host)) continue;
      peers.delete(target);
      retired.add(slots);
      for (const slot of slots) slot.retire();
    }
    for (const address of addresses) {
      if (peers.has(address.target)) continue;
      const slots = Array.from({ length: connections }, () => createSlot(address, options, resolveSoon));
      peers.set(address.target, { address, slots });
    }
  };
  const resolve = async (): Promise<void> => {
    if (resolving || closed) return;
    resolving = true;
    const { addresses, failed } = await resolveTarget(parts, options.resolve);
    resolving = false;
    if (closed) return;
    if (failed.length > 0) log.warn({ hosts: failed }, "names of peers cannot be resolved");
    use(addresses, failed);
    const again = failed.length > 0 ? resolveSoonMs : resolveEveryMs;
    cancelTimer();
    cancelTimer = clock.after(again, resolve);
  };
  const resolveSoon = (): void => {
    if (closed) return;
    cancelTimer();
    cancelTimer = clock.after(resolveSoonMs, resolve);
  };
  void resolve();

  const leastLoaded = (lane: Lane): Link | undefined => {
    let best: Link | undefined;
    for (const { slots } of peers.values()) {
      const link = linkOf(slots, lane);
      if (link !== undefined && (best === undefined || link.load < best.load)) best = link;
    }
    return best;
  };
  // The calls of one turn go to one peer: they cross in one batch and wake one process instead of all.
  let ofThisTurn: Link | undefined;
  const turnOver = (): void => {
    ofThisTurn = undefined;
  };

  return {
    pick: (lane) => {
      if (lane === "streams") return leastLoaded(lane);
      if (ofThisTurn?.takesCalls === true) return ofThisTurn;
      if (ofThisTurn === undefined) setImmediate(turnOver);
      ofThisTurn = leastLoaded(lane);
      return ofThisTurn;
    },
    get ready() {
      for (const { slots } of peers.values()) if (slots.some((slot) => slot.link?.state === "ready")) return true;
      return false;
    },
    close: () => {
      closed = true;
      cancelTimer();
      for (const { slots } of peers.values()) for (const slot of slots) slot.close();
      for (const slots of retired) for (const slot of slots) slot.close();
    },
  };
}
