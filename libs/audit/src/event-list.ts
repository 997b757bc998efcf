import type { Naming } from "@orch/naming/naming.js";
import type { EventLine } from "./event.js";

/** Prints events as an EventList in JSON, which is what webhooks take. */
export function createListPrinter(naming: Naming): (lines: readonly EventLine[]) => Buffer {
  const apiVersion = JSON.stringify(`${naming.group("audit")}/v1`);
  // In a list its kind and version say what the items are.
  const typed = Buffer.from(`{"kind":"Event","apiVersion":${apiVersion},`);
  const open = Buffer.from(`{"kind":"EventList","apiVersion":${apiVersion},"metadata":{},"items":[`);
  const [brace, comma, close] = [Buffer.from("{"), Buffer.from(","), Buffer.from("]}\n")];
  return (lines) => {
    const parts: Buffer[] = [open];
    for (const [i, line] of lines.entries()) {
      if (i > 0) parts.push(comma);
      if (line.subarray(0, typed.length).equals(typed)) parts.push(brace, line.subarray(typed.length));
      else parts.push(line);
    }
    parts.push(close);
    return Buffer.concat(parts);
  };
}
