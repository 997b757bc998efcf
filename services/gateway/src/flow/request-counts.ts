import type { Clock } from "@orch/runtime/clock.js";
import type { GaugeSeries, Metrics } from "@orch/runtime/metrics.js";

/** How many requests of one sort there are; a gauge is told how many there were at most in the last second. */
export class HighWater {
  #now = 0;
  #most = 0;
  #ticking = false;
  readonly #gauge: GaugeSeries;
  readonly #clock: Clock;

  constructor(gauge: GaugeSeries, clock: Clock) {
    this.#gauge = gauge;
    this.#clock = clock;
  }

  enter(): void {
    this.#now++;
    if (this.#now <= this.#most) return;
    this.#most = this.#now;
    if (!this.#ticking) this.#tick();
  }

  leave(): void {
    this.#now--;
  }

  /** An idle server has no timer. */
  #tick(): void {
    this.#ticking = true;
    this.#clock.after(secondMs, () => {
      this.#gauge.set(this.#most);
      this.#ticking = this.#most > 0;
      this.#most = this.#now;
      if (this.#ticking) this.#tick();
    });
  }
}

const secondMs = 1000;

export interface RequestCounts {
  readonly running: HighWater;
  readonly waiting: HighWater;
}

/** Of requests that only read and of those that change something. */
export interface AllRequestCounts {
  readonly readOnly: RequestCounts;
  readonly mutating: RequestCounts;
}

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch", "head"]);

export function isReadOnly(verb: string): boolean {
  return readVerbs.has(verb);
}

export function createRequestCounts(metrics: Metrics, clock: Clock): AllRequestCounts {
  const labels = ["request_kind"] as const;
  const running = metrics.gauge({
    name: "apiserver_current_inflight_requests",
    help: "Requests that ran at once, at most, in the last second; a watch does until its initial events are sent.",
    stability: "STABLE",
    labels,
  });
  const waiting = metrics.gauge({
    name: "apiserver_current_inqueue_requests",
    help: "Requests that waited for seats at once, at most, in the last second.",
    stability: "ALPHA",
    labels,
  });
  const of = (request_kind: "mutating" | "readOnly"): RequestCounts => ({
    running: new HighWater(running.with({ request_kind }), clock),
    waiting: new HighWater(waiting.with({ request_kind }), clock),
  });
  return { mutating: of("mutating"), readOnly: of("readOnly") };
}
