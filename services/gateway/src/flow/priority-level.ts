import type { LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import type { Clock } from "@orch/runtime/clock.js";
import { Crowd, type Member } from "@orch/status/crowd.js";
import type { Identified } from "../call.js";
import { FairQueue, type Origin, type Place, type QueueState, type Waiter } from "./fair-queue.js";

/** Why a request was refused, in the words of the metrics. */
export type Refusal = "concurrency-limit" | "queue-full" | "time-out" | "cancelled";

/** A request at a level, for whoever looks into it. */
export interface Shown {
  readonly call: Identified;
  readonly schema: string;
  /** What tells its flow from the others of its schema. */
  readonly distinguisher: string;
  /** By the clock that only grows, in milliseconds. */
  readonly arrived: number;
}

/** A request that holds seats. */
export interface Running extends Shown, Member {
  readonly seats: number;
  readonly began: number;
  /** That it waited in; -1 for one that did not wait. */
  readonly queue: number;
}

/** A request that waits for its seats. `begin` or `refuse` is called once, or neither after `cancel`. */
export interface Waiting extends Waiter, Shown {
  readonly flow: string;
  /** Stops the timer of one that waits, undefined of one that does not; the level alone writes it. */
  stopTimer: (() => void) | undefined;
  begin(from: Origin): void;
  refuse(why: Refusal): void;
}

/** How fast what was needed at most is forgotten: half of it in 5 minutes of 10 s rounds. */
const memory = 0.977;

/** Of a level's seats, for requests of more than one: gets and writes always find some that no list will hold for long. */
const widePart = 3 / 4;

/** The seats of one priority level and those who wait for them. */
export class PriorityLevel {
  /** Given out now. */
  seatsInUse = 0;
  /** The part of them that requests of more than one seat hold. */
  #wideInUse = 0;
  /** The requests that hold seats. A request is added when it takes seats and removed when it releases them. */
  readonly running = new Crowd<Running>();
  /** Requests since the level was made. */
  readonly totals = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  /** Exempt levels count and never wait. */
  exempt = false;
  #limit = 0;
  #queue: FairQueue<Waiting> | undefined;
  #high = 0;
  #smooth = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What waits goes on waiting, in queues of the new form. */
  configure({ type, limited }: LevelSpec): void {
    this.exempt = type === "Exempt";
    const { queues = 0, handSize = 0, queueLengthLimit = 0 } = limited?.limitResponse?.queuing ?? {};
    const isQueued = limited?.limitResponse?.type === "Queue" && !this.exempt;
    const waiting = this.#queue?.drain() ?? [];
    this.#queue = isQueued ? new FairQueue({ queues, handSize, queueLengthLimit }) : undefined;
    for (const waiter of waiting) {
      if (this.#queue?.push(waiter.flow, waiter) !== true) this.#refuse(waiter, "queue-full");
    }
    this.#dispatch();
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(seats: number) {
    this.#limit = seats;
    this.#dispatch();
  }

  get waiting(): number {
    return this.#queue?.size ?? 0;
  }

  /** Undefined at a level that queues nothing. */
  queues(): readonly QueueState<Waiting>[] {
    return this.#queue?.states() ?? [];
  }

  /** Takes seats where they are free and nobody waits; the path of almost every request. */
  take(seats: number): boolean {
    if (!this.exempt && !(this.#place(seats) === "free" && this.waiting === 0)) return false;
    this.#use(seats);
    return true;
  }

  /** Takes a place in a queue, for at most so long. */
  wait(waiter: Waiting, milliseconds: number): void {
    if (this.#queue === undefined) this.#refuse(waiter, "concurrency-limit");
    else if (!this.#queue.push(waiter.flow, waiter)) this.#refuse(waiter, "queue-full");
    else {
      waiter.stopTimer = this.#clock.after(milliseconds, () => {
        this.#queue?.remove(waiter);
        this.#refuse(waiter, "time-out");
      });
      this.#note();
      this.#dispatch();
    }
  }

  /** Leaves the queue: its client has gone. False when it does not wait any more. */
  cancel(waiter: Waiting): boolean {
    if (waiter.stopTimer === undefined) return false;
    this.#queue?.remove(waiter);
    stopTimer(waiter);
    this.totals.cancelled++;
    // It may have held up others that fit.
    this.#dispatch();
    return true;
  }

  release(seats: number): void {
    this.seatsInUse -= seats;
    if (seats > 1) this.#wideInUse -= seats;
    this.#dispatch();
  }

  /** What was needed at most since it was last asked, and the same with a memory. */
  takeDemand(): { readonly high: number; readonly smooth: number } {
    const high = this.#high;
    this.#smooth = Math.max(high, memory * this.#smooth + (1 - memory) * high);
    this.#high = 0;
    this.#note();
    return { high, smooth: this.#smooth };
  }

  /** A wide request that waits for others of its sort holds up no narrow one. One of more seats than there are runs alone. */
  #place(seats: number): Place {
    if (this.#wideInUse > 0 && seats > 1 && this.#wideInUse + seats > this.#limit * widePart) return "passed over";
    const fits = this.seatsInUse + seats <= this.#limit || (this.seatsInUse === 0 && this.#limit > 0);
    return fits ? "free" : "taken";
  }

  #use(seats: number): void {
    this.totals.dispatched++;
    this.seatsInUse += seats;
    if (seats > 1) this.#wideInUse += seats;
    this.#note();
  }

  #note(): void {
    const demand = this.seatsInUse + (this.#queue?.waitingSeats ?? 0);
    if (demand > this.#high) this.#high = demand;
  }

  #dispatch(): void {
    const queue = this.#queue;
    if (queue === undefined || queue.size === 0) return;
    for (;;) {
      const next = queue.shift(({ seats }) => this.#place(seats));
      if (next === undefined) return;
      stopTimer(next.waiter);
      this.#use(next.waiter.seats);
      next.waiter.begin(next);
    }
  }

  #refuse(waiter: Waiting, why: Exclude<Refusal, "cancelled">): void {
    if (why === "time-out") this.totals.timedOut++;
    else this.totals.rejected++;
    stopTimer(waiter);
    waiter.refuse(why);
  }
}

/** On the request itself: a table of those that wait would keep later ones alive, as {@link Crowd} tells. */
function stopTimer(waiter: Waiting): void {
  waiter.stopTimer?.();
  waiter.stopTimer = undefined;
}
