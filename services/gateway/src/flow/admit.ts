import type { Clock } from "@orch/runtime/clock.js";
import { outside } from "@orch/status/crowd.js";
import type { Identified } from "../call.js";
import type { HeaderList } from "../http/response.js";
import { namespaceOf } from "./classifier.js";
import type { Origin } from "./fair-queue.js";
import { tooManyRequests } from "./limiter.js";
import type { ListCosts } from "./list-costs.js";
import type { FlowSeries } from "./metrics.js";
import type { StreamObserver } from "./observed-stream.js";
import type { PriorityLevel, Refusal, Running, Waiting } from "./priority-level.js";
import { type AllRequestCounts, type HighWater, isReadOnly, type RequestCounts } from "./request-counts.js";
import type { Seats, WriteObserver } from "./seats.js";
import { hasInitialEvents, watchStart } from "./watch-start.js";
import type { WriteCosts } from "./write-costs.js";

/** What the requests of one flow schema get. */
export interface Flow {
  readonly schema: string;
  readonly level: PriorityLevel;
  /** `ByUser`, `ByNamespace`; undefined: the schema's requests are one flow. */
  readonly by: string | undefined;
  /** That one request may have, however large. */
  readonly mostSeats: number;
  /** Of every answer. */
  readonly headers: HeaderList;
  readonly series: FlowSeries;
}

export interface AdmitDeps {
  readonly clock: Clock;
  readonly costs: ListCosts;
  readonly writes: WriteCosts;
  readonly counts: AllRequestCounts;
  /** How long a request may wait for seats, and how long the start of a watch may hold them. */
  readonly waitMs: number;
}

/** Gives a call the seats of its flow: at once where they are free, which is almost always. @throws ApiError TooManyRequests */
export function admit(call: Identified, flow: Flow, deps: AdmitDeps): Seats | Promise<Seats> {
  const seats = estimate(call, flow, deps);
  flow.series.estimated.observe(seats);
  if (flow.level.take(seats)) {
    flow.series.waited.observe(0);
    return hold(call, flow, { deps, seats });
  }
  return wait(call, flow, { deps, seats });
}

/** A list, or a watch that begins with one, and a write by their sizes; whatever else there is has one seat. */
function estimate(
  { verb, route, request }: Identified,
  { mostSeats, level }: Flow,
  { costs, writes }: AdmitDeps,
): number {
  if (route.type !== "resource" || level.exempt) return 1;
  if (!isReadOnly(verb)) return Math.max(1, Math.min(mostSeats, writes.seats(verb, route.target, request)));
  if (verb !== "list" && !(verb === "watch" && hasInitialEvents(request.query))) return 1;
  return Math.max(1, Math.min(mostSeats, costs.seats(route.target, request)));
}

interface Place {
  readonly deps: AdmitDeps;
  readonly seats: number;
}

function wait(call: Identified, flow: Flow, { deps, seats }: Place): Promise<Seats> {
  const { level, series } = flow;
  const { waiting } = countsOf(call, deps);
  return new Promise((resolve, reject) => {
    const arrived = deps.clock.monotonic();
    const distinguisher = distinguisherOf(call, flow);
    const left = (): number => {
      series.waiting.add(-1);
      series.waitingSeats.add(-seats);
      waiting.leave();
      return (deps.clock.monotonic() - arrived) / 1000;
    };
    const waiter: Waiting = {
      seats,
      call,
      schema: flow.schema,
      distinguisher,
      arrived,
      flow: `${flow.schema}/${distinguisher}`,
      stopTimer: undefined,
      begin(from) {
        series.waited.observe(left());
        resolve(hold(call, flow, { deps, seats, arrived, from }));
      },
      refuse(why: Refusal) {
        series.waitedInVain.observe(left());
        series.rejected(why);
        reject(tooManyRequests());
      },
    };
    series.waiting.add(1);
    series.waitingSeats.add(seats);
    waiting.enter();
    level.wait(waiter, deps.waitMs);
    call.response.onClose(() => {
      if (level.cancel(waiter)) waiter.refuse("cancelled");
    });
  });
}

/** What tells the flow of a call from the others of its schema; "" where all are one. */
function distinguisherOf({ user, route }: Identified, { by }: Flow): string {
  if (by === "ByUser") return user.name;
  return by === "ByNamespace" && route.type === "resource" ? namespaceOf(route.target) : "";
}

function countsOf({ verb }: Identified, { counts }: AdmitDeps): RequestCounts {
  return isReadOnly(verb) ? counts.readOnly : counts.mutating;
}

interface Held extends Place {
  /** Of a request that had to wait. */
  readonly from?: Origin;
  readonly arrived?: number;
}

function hold(call: Identified, flow: Flow, held: Held): Seats {
  const seats = new HeldSeats(call, flow, held);
  flow.level.running.add(seats);
  seats.count.enter();
  flow.series.dispatched.inc();
  flow.series.executing.add(1);
  flow.series.seats.add(held.seats);
  if (call.verb === "watch" || call.verb === "list") seats.stream = observerOf(call, seats, held.deps);
  else if (!isReadOnly(call.verb)) seats.write = writeObserverOf(call, held.deps);
  return seats;
}

class HeldSeats implements Seats, Running {
  place = outside;
  stream: StreamObserver | undefined = undefined;
  write: WriteObserver | undefined = undefined;
  readonly call: Identified;
  readonly count: HighWater;
  readonly began: number;
  readonly #flow: Flow;
  readonly #held: Held;
  #over = false;

  constructor(call: Identified, flow: Flow, held: Held) {
    this.call = call;
    this.count = countsOf(call, held.deps).running;
    this.began = held.deps.clock.monotonic();
    this.#flow = flow;
    this.#held = held;
  }

  get seats(): number {
    return this.#held.seats;
  }

  get schema(): string {
    return this.#flow.schema;
  }

  get distinguisher(): string {
    return distinguisherOf(this.call, this.#flow);
  }

  get arrived(): number {
    return this.#held.arrived ?? this.began;
  }

  get queue(): number {
    return this.#held.from?.queue ?? -1;
  }

  release(): void {
    if (this.#over) return;
    this.#over = true;
    const { level, series } = this.#flow;
    const { seats, from, deps } = this.#held;
    const took = deps.clock.monotonic() - this.began;
    this.count.leave();
    series.executing.add(-1);
    series.seats.add(-seats);
    (this.call.verb === "watch" ? series.watchStarts : series.took).observe(took / 1000);
    from?.settle(took);
    level.running.delete(this);
    level.release(seats);
  }
}

/** A list's bytes are remembered for the next one; a watch gives its seats back once it has begun. */
function observerOf({ verb, route, request }: Identified, seats: Seats, deps: AdmitDeps): StreamObserver | undefined {
  const { query } = request;
  if (route.type !== "resource") return undefined;
  if (verb === "watch") {
    const initialEvents = hasInitialEvents(query);
    return watchStart(() => seats.release(), { clock: deps.clock, initialEvents, longestMs: deps.waitMs });
  }
  let bytes = 0;
  return {
    message: (more) => {
      bytes += more;
    },
    end: (whole) => {
      if (whole) deps.costs.learn(route.target, request, bytes);
    },
  };
}

/** What a write's bytes took is remembered for the next one like it. */
function writeObserverOf({ verb, route }: Identified, { clock, writes }: AdmitDeps): WriteObserver | undefined {
  if (route.type !== "resource") return undefined;
  let began = 0;
  return {
    began() {
      began = clock.monotonic();
    },
    ended: (bytes, answered) =>
      writes.learn(verb, route.target, { bytes, answered, tookMs: clock.monotonic() - began }),
  };
}
