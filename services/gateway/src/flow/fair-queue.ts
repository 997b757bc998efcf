import { dealHand } from "./shuffle-shard.js";

/** What waits in a queue. */
export interface Waiter {
  readonly seats: number;
}

export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  /** Of one queue. */
  readonly queueLengthLimit: number;
}

interface Queue<W> {
  readonly index: number;
  readonly waiters: W[];
  waitingSeats: number;
  /** Virtual time at which its first waiter may begin: what its earlier ones have used, in seat-milliseconds. */
  begins: number;
  /** Which came first of those that may begin at one time. */
  turn: number;
}

/** What a request is charged when it is dispatched, before any of its size has told what it really takes. */
const firstGuessMs = 3;
/** How much the last request of a size counts for what the next is charged. */
const learning = 0.2;
/** A request that takes no time is charged this much: a queue whose virtual time stood still would be next for ever. */
const leastChargeMs = 0.1;
/**
 * The most that a request is charged for. A client that reads its list slowly uses little of the server, and its flow
 * is not held back for long.
 */
const longestChargeMs = 1000;

/** Whether a request can begin now, must be waited for, or waits for something that others do not need. */
export type Place = "free" | "taken" | "passed over";

/** Where a dispatched request came from, for its correction. */
export interface Origin {
  readonly queue: number;
  /** Charges the flow what the request took, instead of what was assumed. */
  settle(milliseconds: number): void;
}

export interface Dispatched<W> extends Origin {
  readonly waiter: W;
}

/** A queue as it is now. */
export interface QueueState<W> {
  readonly waiters: readonly W[];
  /** Virtual time at which its first waiter may begin, and what is thought to wait in it: seat-milliseconds. */
  readonly begins: number;
  readonly work: number;
}

/**
 * Queues that share one stream of free seats fairly (start-time fair queuing): the next request is that of the queue
 * whose flows have used least since it last had nothing to ask. A queue that was idle begins at the present virtual
 * time, so that nobody saves up for a burst.
 *
 *     heavy: 8 seats × 100 ms → its queue begins 800 later        light: 1 seat × 1 ms → next at once
 */
export class FairQueue<W extends Waiter> {
  readonly #queuing: Queuing;
  /** Those in which something waits or that are still charged for what ran. */
  readonly #queues = new Map<number, Queue<W>>();
  readonly #active = new Set<Queue<W>>();
  /** Milliseconds that requests took lately, by their seats. */
  readonly #usual: number[] = [];
  #now = 0;
  #turn = 0;

  size = 0;
  waitingSeats = 0;

  constructor(queuing: Queuing) {
    this.#queuing = queuing;
  }

  /** False when the shortest queue of the flow's hand is full. */
  push(flow: string, waiter: W): boolean {
    const queue = this.#shortest(dealHand(flow, this.#queuing));
    if (queue.waiters.length >= this.#queuing.queueLengthLimit) return false;
    if (queue.waiters.length === 0) {
      queue.begins = Math.max(this.#now, queue.begins);
      queue.turn = this.#turn++;
      this.#active.add(queue);
    }
    queue.waiters.push(waiter);
    this.#count(queue, 1, waiter.seats);
    return true;
  }

  /** The request that comes next, if its seats are there. Those that are passed over lose nothing by it. */
  shift(place: (waiter: W) => Place): Dispatched<W> | undefined {
    const { queue, waiter } = this.#next(place) ?? {};
    if (queue === undefined || waiter === undefined || place(waiter) !== "free") return undefined;
    queue.waiters.shift();
    this.#count(queue, -1, -waiter.seats);
    this.#now = Math.max(this.#now, queue.begins);
    const { seats } = waiter;
    const usual = this.#usualOf(seats);
    queue.begins += seats * usual;
    queue.turn = this.#turn++;
    this.#forgetIdle(queue);
    return {
      waiter,
      queue: queue.index,
      settle: (milliseconds) => {
        const took = Math.min(Math.max(milliseconds, leastChargeMs), longestChargeMs);
        queue.begins += seats * (took - usual);
        this.#usual[seats] = (this.#usual[seats] ?? took) * (1 - learning) + took * learning;
        this.#forgetIdle(queue);
      },
    };
  }

  remove(waiter: W): void {
    for (const queue of this.#active) {
      const at = queue.waiters.indexOf(waiter);
      if (at < 0) continue;
      queue.waiters.splice(at, 1);
      this.#count(queue, -1, -waiter.seats);
      this.#forgetIdle(queue);
      return;
    }
  }

  /** All of its queues, by their index. */
  states(): readonly QueueState<W>[] {
    return Array.from({ length: this.#queuing.queues }, (_, index) => {
      const { waiters = [], begins = 0 } = this.#queues.get(index) ?? {};
      return { waiters, begins, work: waiters.reduce((sum, { seats }) => sum + seats * this.#usualOf(seats), 0) };
    });
  }

  /** Takes everything out. */
  drain(): readonly W[] {
    const all = [...this.#active].flatMap((queue) => queue.waiters);
    this.#active.clear();
    this.#queues.clear();
    this.size = 0;
    this.waitingSeats = 0;
    return all;
  }

  #usualOf(seats: number): number {
    return this.#usual[seats] ?? firstGuessMs;
  }

  #shortest(hand: readonly number[]): Queue<W> {
    let best: Queue<W> | undefined;
    for (const index of hand) {
      const queue = this.#queues.get(index);
      if (queue === undefined) return this.#open(index);
      if (best === undefined || queue.waitingSeats < best.waitingSeats) best = queue;
    }
    return best ?? this.#open(0);
  }

  #open(index: number): Queue<W> {
    const queue = { index, waiters: [], waitingSeats: 0, begins: 0, turn: 0 };
    this.#queues.set(index, queue);
    return queue;
  }

  #next(place: (waiter: W) => Place): { readonly queue: Queue<W>; readonly waiter: W } | undefined {
    let best: { readonly queue: Queue<W>; readonly waiter: W } | undefined;
    for (const queue of this.#active) {
      const waiter = queue.waiters[0];
      if (waiter === undefined || (best !== undefined && !isBefore(queue, best.queue))) continue;
      if (place(waiter) !== "passed over") best = { queue, waiter };
    }
    return best;
  }

  #count(queue: Queue<W>, requests: number, seats: number): void {
    queue.waitingSeats += seats;
    this.size += requests;
    this.waitingSeats += seats;
  }

  #forgetIdle(queue: Queue<W>): void {
    if (queue.waiters.length > 0) return;
    this.#active.delete(queue);
    if (queue.begins <= this.#now) this.#queues.delete(queue.index);
  }
}

const isBefore = (one: Queue<unknown>, other: Queue<unknown>): boolean =>
  one.begins < other.begins || (one.begins === other.begins && one.turn < other.turn);
