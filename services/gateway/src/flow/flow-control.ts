import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { HeaderList } from "../http/response.js";
import { admit, type Flow } from "./admit.js";
import { type Classifier, createClassifier, type SchemaEntry } from "./classifier.js";
import { builtInConfig, catchAllName, type FlowConfig, withMandatory } from "./config.js";
import type { Limiter } from "./limiter.js";
import { createListCosts } from "./list-costs.js";
import type { FlowMetrics, LevelSeries } from "./metrics.js";
import { PriorityLevel } from "./priority-level.js";
import type { AllRequestCounts } from "./request-counts.js";
import { divideSeats, type SeatDemand, type SeatRange, seatRanges } from "./seat-shares.js";
import { createFlowTables, type FlowTables } from "./tables.js";
import { createWriteCosts } from "./write-costs.js";

export interface FlowControlOptions {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly metrics: FlowMetrics;
  readonly counts: AllRequestCounts;
  /** Of this gateway: requests of one seat that run at once. */
  readonly totalSeats: number;
  /** How long a request may wait for seats. */
  readonly waitMs: number;
}

/** Priority and fairness (release 1.32): seats by priority level, and a fair queue for those who wait. */
export interface FlowControl extends Limiter {
  /** Goes over to other objects; what runs and what waits goes on. */
  configure(config: FlowConfig): void;
  /** Begins to lend seats from level to level. */
  start(): void;
  stop(): void;
  /** What it does now. */
  readonly tables: FlowTables;
}

/** How often levels lend and take back. */
const divideMs = 10_000;
const mostSeats = 10;
/** Of its level's seats, for one request. */
const mostShare = 0.15;

interface Level {
  readonly level: PriorityLevel;
  readonly uid: string;
  readonly range: SeatRange;
  readonly series: LevelSeries;
}

type Levels = ReadonlyMap<string, Level>;

export function createFlowControl(options: FlowControlOptions): FlowControl {
  const { naming, clock, counts, totalSeats, waitMs } = options;
  const deps = { clock, counts, waitMs, costs: createListCosts(), writes: createWriteCosts() };
  let levels: Levels = levelsOf(builtInConfig(naming), new Map(), options);
  let classify = classifierOf(builtInConfig(naming), levels, options);
  let cancel: (() => void) | undefined;
  const tick = (): void => {
    divide(levels, totalSeats);
    cancel = clock.after(divideMs, tick);
  };
  return {
    enter(call) {
      const flow = classify(call.user, call.verb, call.route);
      call.response.addHeaders(flow.headers);
      return admit(call, flow, deps);
    },
    configure(given) {
      const config = withMandatory(naming, given);
      levels = levelsOf(config, levels, options);
      classify = classifierOf(config, levels, options);
    },
    start() {
      cancel = clock.after(divideMs, tick);
    },
    stop() {
      cancel?.();
    },
    tables: createFlowTables(() => levels, clock),
  };
}

/** A level that is there already keeps its requests and, within its new range, the seats that it has. */
function levelsOf({ levels }: FlowConfig, before: Levels, { totalSeats, clock, metrics }: FlowControlOptions): Levels {
  const ranges = seatRanges(totalSeats, new Map(levels.map(({ name, spec }) => [name, spec])));
  const next = new Map<string, Level>();
  for (const { name, uid, spec } of levels) {
    const range = ranges.get(name);
    if (range === undefined) continue;
    const old = before.get(name);
    const level = old?.level ?? new PriorityLevel(clock);
    level.configure(spec);
    level.limit = old === undefined ? range.nominal : Math.max(range.lowest, Math.min(range.highest, level.limit));
    const series = metrics.level(name);
    series.nominal.set(range.nominal);
    series.lowest.set(range.lowest);
    series.highest.set(range.highest);
    series.current.set(level.limit);
    next.set(name, { level, uid, range, series });
  }
  return next;
}

/** A schema whose level does not exist matches no requests. */
function classifierOf(config: FlowConfig, levels: Levels, options: FlowControlOptions): Classifier<Flow> {
  const entries = config.schemas.flatMap(({ name, uid, spec }): SchemaEntry<Flow>[] => {
    const levelName = spec.priorityLevelConfiguration?.name ?? "";
    const found = levels.get(levelName);
    if (found === undefined) return [];
    const flow = {
      schema: name,
      level: found.level,
      by: spec.distinguisherMethod?.type,
      mostSeats: Math.min(mostSeats, Math.ceil(found.range.nominal * mostShare)),
      headers: headersOf(options.naming, uid, found.uid),
      series: options.metrics.flow(name, levelName),
    };
    return [{ name, spec, flow }];
  });
  const fallback = entries.find(({ name }) => name === catchAllName)?.flow;
  if (fallback === undefined) throw new TypeError("flow control without its mandatory objects");
  return createClassifier(entries, fallback);
}

/** Which objects decided, for whoever looks into a request. */
function headersOf(naming: Naming, schemaUid: string, levelUid: string): HeaderList {
  if (schemaUid === "" || levelUid === "") return [];
  const [schema, level] = [naming.header("PF-FlowSchema-UID"), naming.header("PF-PriorityLevel-UID")];
  return [schema, schemaUid, level, levelUid];
}

function divide(levels: Levels, totalSeats: number): void {
  const demands = new Map<string, SeatDemand>();
  for (const [name, { level, range, series }] of levels) {
    const demand = level.takeDemand();
    series.high.set(demand.high);
    series.smooth.set(demand.smooth);
    demands.set(name, { ...range, ...demand, exempt: level.exempt });
  }
  for (const [name, seats] of divideSeats(totalSeats, demands)) {
    const found = levels.get(name);
    if (found === undefined) continue;
    found.level.limit = seats;
    found.series.current.set(seats);
  }
}
