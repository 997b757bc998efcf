import type { Clock } from "@orch/runtime/clock.js";
import { namespaceOf } from "./classifier.js";
import type { PriorityLevel, Running, Shown, Waiting } from "./priority-level.js";

/** What flow control does at this moment, as text for people: a table by the last part of its path. */
export type FlowTables = ReadonlyMap<string, (options: TableOptions) => string>;

export interface TableOptions {
  /** Whether requests are shown with their users, verbs and paths. */
  readonly details: boolean;
}

type Levels = ReadonlyMap<string, { readonly level: PriorityLevel }>;
type Row = readonly (string | number | boolean)[];

/** The reference's tables, columns and path names; the levels are asked for anew each time. */
export function createFlowTables(levels: () => Levels, clock: Clock): FlowTables {
  return new Map([
    ["dump_priority_levels", () => commaTable([levelColumns, ...rowsOf(levels(), levelRow)])],
    ["dump_queues", () => commaTable([queueColumns, ...rowsOf(levels(), queueRows)])],
    [
      "dump_requests",
      ({ details }: TableOptions) => {
        const columns = details ? [...requestColumns, ...detailColumns] : requestColumns;
        return commaTable([columns, ...rowsOf(levels(), requestRows(clock, details))]);
      },
    ],
  ]);
}

function rowsOf(levels: Levels, rows: (name: string, level: PriorityLevel) => readonly Row[]): readonly Row[] {
  const names = [...levels.keys()].sort();
  return names.flatMap((name) => {
    const found = levels.get(name);
    return found === undefined ? [] : rows(name, found.level);
  });
}

const levelColumns = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
];

function levelRow(name: string, level: PriorityLevel): readonly Row[] {
  const { waiting, running, totals } = level;
  const active = level.queues().filter(({ waiters }) => waiters.length > 0).length;
  const idle = waiting + running.size === 0;
  // A level that is deleted is not shown while its last requests run.
  const quiescing = false;
  const { dispatched, rejected, timedOut, cancelled } = totals;
  return [[name, active, idle, quiescing, waiting, running.size, dispatched, rejected, timedOut, cancelled]];
}

const queueColumns = [
  "PriorityLevelName",
  "Index",
  "PendingRequests",
  "ExecutingRequests",
  "SeatsInUse",
  "NextDispatchR",
  "InitialSeatsSum",
  "MaxSeatsSum",
  "TotalWorkSum",
];

function queueRows(name: string, level: PriorityLevel): readonly Row[] {
  return level.queues().map(({ waiters, begins, work }, index) => {
    const running = level.running.members().filter(({ queue }) => queue === index);
    const waitingSeats = seatsOf(waiters);
    return [
      name,
      index,
      waiters.length,
      running.length,
      seatsOf(running),
      seatSeconds(begins),
      waitingSeats,
      waitingSeats,
      seatSeconds(work),
    ];
  });
}

function seatsOf(requests: readonly { readonly seats: number }[]): number {
  return requests.reduce((sum, { seats }) => sum + seats, 0);
}

function seatSeconds(seatMilliseconds: number): string {
  return `${(seatMilliseconds / 1000).toFixed(8)}ss`;
}

const requestColumns = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "ArriveTime",
  "InitialSeats",
  "FinalSeats",
  "AdditionalLatency",
  "StartTime",
];
const detailColumns = ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];

const notStarted = "0001-01-01T00:00:00Z";
/** The index of a request that runs, or that was never in a queue. */
const noIndex = -1;

function requestRows(clock: Clock, details: boolean) {
  const time = (monotonic: number): string => new Date(clock.now() - clock.monotonic() + monotonic).toISOString();
  const row = (level: string, request: Waiting | Running, place: Place): Row => [
    level,
    request.schema,
    place.queue,
    place.index,
    request.distinguisher,
    time(request.arrived),
    request.seats,
    0,
    "0s",
    place.began === undefined ? notStarted : time(place.began),
    ...(details ? detailsOf(request) : []),
  ];
  return (name: string, level: PriorityLevel): readonly Row[] => {
    const running = [...level.running.members()].sort((a, b) => a.queue - b.queue);
    const waiting = level
      .queues()
      .flatMap(({ waiters }, queue) => waiters.map((request, index) => row(name, request, { queue, index })));
    const executing = running.map((request) =>
      row(name, request, { queue: request.queue, index: noIndex, began: request.began }),
    );
    return [...waiting, ...executing];
  };
}

interface Place {
  readonly queue: number;
  readonly index: number;
  /** Of one that runs. */
  readonly began?: number;
}

function detailsOf({ call }: Shown): Row {
  const { user, verb, route } = call;
  const who = [user.name, verb, route.path];
  if (route.type !== "resource") return [...who, "", "", "", "", ""];
  const { group, version, name, resource, subresource } = route.target;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return [...who, namespaceOf(route.target), name, apiVersion, resource, subresource];
}

const narrowest = 8;

/** Cells with commas between them, lined up. */
function commaTable(rows: readonly Row[]): string {
  const texts = rows.map((row) => row.map((cell, i) => (i < row.length - 1 ? `${cell},` : String(cell))));
  const widths: number[] = [];
  for (const row of texts) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? narrowest, cell.length + 1);
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell)).join("");
  return texts.map((row) => `${line(row)}\n`).join("");
}
