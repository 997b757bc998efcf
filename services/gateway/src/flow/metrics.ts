import type { CounterSeries, GaugeSeries, HistogramSeries, Metrics } from "@orch/runtime/metrics.js";
import type { Refusal } from "./priority-level.js";

/** What is counted of the requests of one flow schema at one level: bound once, for the path of every request. */
export interface FlowSeries {
  readonly dispatched: CounterSeries;
  readonly executing: GaugeSeries;
  readonly seats: GaugeSeries;
  readonly waiting: GaugeSeries;
  readonly waitingSeats: GaugeSeries;
  /** Seconds, of those that were executed. */
  readonly waited: HistogramSeries;
  /** Seconds, of those that were refused. */
  readonly waitedInVain: HistogramSeries;
  readonly took: HistogramSeries;
  readonly watchStarts: HistogramSeries;
  readonly estimated: HistogramSeries;
  rejected(why: Refusal): void;
}

export interface LevelSeries {
  readonly nominal: GaugeSeries;
  readonly lowest: GaugeSeries;
  readonly highest: GaugeSeries;
  readonly current: GaugeSeries;
  readonly high: GaugeSeries;
  readonly smooth: GaugeSeries;
}

export interface FlowMetrics {
  flow(schema: string, level: string): FlowSeries;
  level(name: string): LevelSeries;
}

const both = ["priority_level", "flow_schema"] as const;
const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const seatBuckets = [1, 2, 4, 10];

const flowcontrol = (name: string): string => `apiserver_flowcontrol_${name}`;

/** The reference's `apiserver_flowcontrol_*`. */
export function createFlowMetrics(metrics: Metrics): FlowMetrics {
  const gauge = <const L extends string>(
    name: string,
    help: string,
    more: { stability: "ALPHA" | "BETA"; labels: readonly L[] },
  ) => metrics.gauge({ name: flowcontrol(name), help, ...more });
  const ofFlow = flowFamilies(metrics);
  const beta = { stability: "BETA", labels: ["priority_level"] } as const;
  const alpha = { stability: "ALPHA", labels: ["priority_level"] } as const;
  const nominal = gauge("nominal_limit_seats", "Seats that a level's share of the server's comes to.", beta);
  const lowest = gauge("lower_limit_seats", "Seats that a level keeps when it has lent all it may.", alpha);
  const highest = gauge("upper_limit_seats", "Seats that a level has when it has borrowed all it may.", alpha);
  const current = gauge("current_limit_seats", "Seats that a level has now.", alpha);
  const high = gauge(
    "demand_seats_high_watermark",
    "Seats that a level had a use for at most, in the last round.",
    alpha,
  );
  const smooth = gauge("demand_seats_smoothed", "The same, falling slowly.", alpha);
  return {
    flow: ofFlow,
    level(priority_level) {
      const of = { priority_level };
      return {
        nominal: nominal.with(of),
        lowest: lowest.with(of),
        highest: highest.with(of),
        current: current.with(of),
        high: high.with(of),
        smooth: smooth.with(of),
      };
    },
  };
}

function flowFamilies(metrics: Metrics): FlowMetrics["flow"] {
  const spec = (name: string, help: string, stability: "ALPHA" | "BETA") =>
    ({ name: flowcontrol(name), help, stability, labels: both }) as const;
  const dispatched = metrics.counter(spec("dispatched_requests_total", "Requests that got their seats.", "BETA"));
  const rejected = metrics.counter({
    ...spec("rejected_requests_total", "Requests that were refused, by the reason.", "BETA"),
    labels: [...both, "reason"],
  });
  const executing = metrics.gauge(
    spec(
      "current_executing_requests",
      "Requests that hold seats; a watch does until its initial events are sent.",
      "BETA",
    ),
  );
  const seats = metrics.gauge(spec("current_executing_seats", "Seats that are held.", "BETA"));
  const waiting = metrics.gauge(spec("current_inqueue_requests", "Requests that wait for seats.", "BETA"));
  const waitingSeats = metrics.gauge(spec("current_inqueue_seats", "Seats that are waited for.", "ALPHA"));
  const waited = metrics.histogram({
    ...spec(
      "request_wait_duration_seconds",
      "Time that requests have waited, by whether they were executed then.",
      "BETA",
    ),
    labels: [...both, "execute"],
    buckets: waitBuckets,
  });
  const took = metrics.histogram({
    ...spec("request_execution_seconds", "Time that requests have held their seats.", "ALPHA"),
    labels: [...both, "type"],
    buckets: waitBuckets,
  });
  const estimated = metrics.histogram({
    ...spec("work_estimated_seats", "Seats that requests were thought to need.", "ALPHA"),
    buckets: seatBuckets,
  });
  return (flow_schema, priority_level) => {
    const of = { flow_schema, priority_level };
    return {
      dispatched: dispatched.with(of),
      executing: executing.with(of),
      seats: seats.with(of),
      waiting: waiting.with(of),
      waitingSeats: waitingSeats.with(of),
      waited: waited.with({ ...of, execute: "true" }),
      waitedInVain: waited.with({ ...of, execute: "false" }),
      took: took.with({ ...of, type: "regular" }),
      watchStarts: took.with({ ...of, type: "watch" }),
      estimated: estimated.with(of),
      rejected: (reason) => rejected.with({ ...of, reason }).inc(),
    };
  };
}
