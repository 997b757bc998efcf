import type { EventLine } from "./event.js";

const newline = 0x0a;

/** Events as they go from one process to the other and into a log: each a line with its end. */
export function joinLines(events: readonly (string | EventLine)[]): Buffer {
  const texts: string[] = [];
  for (const event of events) {
    if (typeof event !== "string") return joinBytes(events.map(bytesOf));
    texts.push(event);
  }
  // The last end comes with the others: put behind them it would have all of the text copied once more.
  if (texts.length > 0) texts.push("");
  return Buffer.from(texts.join("\n"));
}

function joinBytes(events: readonly EventLine[]): Buffer {
  const bytes = Buffer.allocUnsafe(events.reduce((sum, event) => sum + event.length + 1, 0));
  let at = 0;
  for (const event of events) {
    bytes.set(event, at);
    at += event.length;
    bytes[at++] = newline;
  }
  return bytes;
}

/** The events of {@link joinLines}, as parts of its bytes. A line without an end is one, too; an empty one is none. */
export function splitLines(lines: Buffer): EventLine[] {
  const events: EventLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const next = lines.indexOf(newline, at);
    const end = next < 0 ? lines.length : next;
    if (end > at) events.push(lines.subarray(at, end));
    at = end + 1;
  }
  return events;
}

/** An event as it is kept. */
export const bytesOf = (event: string | EventLine): EventLine =>
  typeof event === "string" ? Buffer.from(event) : event;
