import { readJson } from "@orch/status/read-json.js";
import type { AuditEvent, EventLine } from "./event.js";

const idMark = Buffer.from('"auditID":');
const quote = 0x22;
const backslash = 0x5c;
/** The id stands near the beginning of a line that this program has made. */
const idWithin = 256;

/** The id of an event's request, without reading the rest; "" of a line that has none where it belongs. */
export function auditIdOf(line: EventLine): string {
  const head = line.subarray(0, idWithin);
  const start = head.indexOf(idMark) + idMark.length;
  if (start < idMark.length || line[start] !== quote) return "";
  let end = start + 1;
  while (end < line.length && line[end] !== quote) end += line[end] === backslash ? 2 : 1;
  try {
    const id: unknown = readJson(line.toString("utf8", start, end + 1));
    return typeof id === "string" ? id : "";
  } catch {
    return "";
  }
}

/** Undefined of what is no event: whoever may send events here is trusted, and yet no sink must end for one. */
export function readEvent(line: EventLine): AuditEvent | undefined {
  try {
    const event: unknown = readJson(line.toString("utf8"));
    return typeof event === "object" && event !== null && !Array.isArray(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
