import type { Socket } from "node:net";
import { joinFamilies, lastingFamilies } from "@orch/runtime/metric/metric-join.js";
import { type Family, pageText } from "@orch/runtime/metric/metric-text.js";
import { createSlot, type Slot, type SlotOptions } from "./slot.js";

export interface PoolOptions extends SlotOptions {
  readonly count: number;
  /** The metrics of this process. */
  readonly ownFamilies: () => Promise<readonly Family[]>;
}

/** Worker processes, each of which is started again when it ends. */
export interface Pool {
  /** Settles when all of them serve. @throws Error when one ends before */
  start(): Promise<void>;
  /**
   * Gives a connection, of which nothing was read, to the next worker that is not busy. It waits while none serves, and goes to
   * another one where a worker ends before it has it.
   */
  deal(socket: Socket): void;
  /** How many have been ready. */
  readonly ready: number;
  /** Their readiness falls. */
  shutDown(): void;
  /** Settles when all have answered what came on their connections. */
  drain(): Promise<void>;
  /** Settles when none is left. */
  stop(): Promise<void>;
}

/** Connections that wait for a worker; more are closed. */
const maxWaiting = 1_024;

export function createPool(options: PoolOptions): Pool {
  const { count, log } = options;
  const waiting: Socket[] = [];
  let turn = 0;
  let stopping = false;
  // What workers counted that have ended: none of it may go from the page.
  let lasting: readonly Family[] = [];
  let leaving = false;
  const page = async (): Promise<string> => {
    const [own] = await Promise.all([options.ownFamilies(), ...slots.map((slot) => slot.scrape())]);
    return pageText(joinFamilies([own, lasting, ...slots.map((slot) => slot.families)]));
  };
  const slots = Array.from({ length: count }, (_, index) =>
    createSlot(index, options, {
      page: () => page(),
      isLeaving: () => leaving,
      retired: (families) => {
        lasting = joinFamilies([lasting, lastingFamilies(families)]);
      },
      deal: (socket) => deal(socket),
      serves: () => {
        for (const socket of waiting.splice(0)) deal(socket);
      },
    }),
  );
  const deal = (socket: Socket): void => {
    const at = turn++;
    let best: Slot | undefined;
    for (let i = 0; i < count; i++) {
      const slot = slots[(at + i) % count];
      // A worker that has not taken those before is busy: others go first.
      if (slot?.takes === true && (best === undefined || slot.underWay < best.underWay)) best = slot;
    }
    if (best !== undefined) best.handOver(socket);
    else if (stopping || waiting.length >= maxWaiting) socket.destroy();
    else waiting.push(socket);
  };
  return {
    async start() {
      await Promise.all(slots.map((slot) => slot.start()));
      log.info({ workers: count }, "gateway workers serve");
    },
    deal,
    get ready() {
      return slots.filter((slot) => slot.phase === "ready").length;
    },
    shutDown() {
      leaving = true;
      for (const slot of slots) slot.tell({ type: "shutDown" });
    },
    async drain() {
      await Promise.all(slots.map((slot) => slot.drain()));
    },
    async stop() {
      stopping = true;
      for (const socket of waiting.splice(0)) socket.destroy();
      await Promise.all(slots.map((slot) => slot.stop()));
    },
  };
}
