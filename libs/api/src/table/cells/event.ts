import type { ApiObject } from "../../object.js";
import { age, type Cell, type Cells, cell } from "../cell.js";

interface Event extends ApiObject {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly message?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

export const eventCells: Cells = [
  ["eventLastSeen", cell<Event>(lastSeen)],
  ["eventFirstSeen", cell<Event>((event) => age(firstTime(event)))],
  ["eventObject", cell<Event>(object)],
  ["eventSource", cell<Event>(source)],
  ["eventMessage", cell<Event>(({ message = "" }) => message.trim())],
  ["eventCount", cell<Event>(count)],
];

function firstTime({ firstTimestamp, eventTime }: Event): string | undefined {
  return firstTimestamp ?? eventTime;
}

function lastSeen(event: Event): Cell {
  if (event.series !== undefined) return age(event.series.lastObservedTime);
  return age(event.lastTimestamp ?? firstTime(event));
}

function object({ involvedObject: { kind = "", name = "" } = {} }: Event): string {
  return name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function source({ source, reportingComponent = "", reportingInstance = "" }: Event): string {
  const component = source?.component || reportingComponent;
  const instance = source?.host || reportingInstance;
  return instance === "" ? component : `${component}, ${instance}`;
}

/** An event that was never counted happened once. */
function count({ series, count = 0 }: Event): number {
  if (series !== undefined) return series.count ?? 0;
  return count === 0 ? 1 : count;
}
