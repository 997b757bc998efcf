import type { Naming } from "@orch/naming/naming.js";
import { jsonText } from "@orch/status/json-text.js";
import type { EventLine } from "./event.js";
import { readEvent } from "./read-line.js";

export interface SizeLimits {
  /** Bytes of an event. */
  readonly maxEventSize: number;
  /** Bytes of the events that a sink takes at once. */
  readonly maxBatchSize: number;
}

export interface Fitted {
  readonly batches: readonly (readonly EventLine[])[];
  /** How many events are too large without their bodies, too. */
  readonly dropped: number;
}

/** Takes the bodies out of events that are too large, and divides what a sink would take at once. */
export function createFitting({ maxEventSize, maxBatchSize }: SizeLimits, naming: Naming) {
  const annotation = `${naming.group("audit")}/truncated`;
  return (lines: readonly EventLine[]): Fitted => {
    const batches: EventLine[][] = [];
    let batch: EventLine[] = [];
    let size = 0;
    let dropped = 0;
    for (const whole of lines) {
      const line = whole.length > maxEventSize ? withoutBodies(whole, annotation) : whole;
      if (line.length > maxEventSize) {
        dropped++;
        continue;
      }
      if (batch.length > 0 && size + line.length > maxBatchSize) {
        batches.push(batch);
        batch = [];
        size = 0;
      }
      batch.push(line);
      size += line.length;
    }
    if (batch.length > 0) batches.push(batch);
    return { batches, dropped };
  };
}

const withBodies: ReadonlySet<string | undefined> = new Set(["Request", "RequestResponse"]);

function withoutBodies(line: EventLine, annotation: string): EventLine {
  const event = readEvent(line);
  if (event === undefined || !withBodies.has(event.level)) return line;
  const { requestObject: _, responseObject: __, annotations, ...rest } = event;
  return Buffer.from(jsonText({ ...rest, annotations: { ...annotations, [annotation]: "true" } }));
}
