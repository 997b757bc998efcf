import type { EventLine } from "@orch/audit/event.js";
import { legacyLine } from "@orch/audit/legacy-line.js";
import { joinLines } from "@orch/audit/lines.js";
import { readEvent } from "@orch/audit/read-line.js";
import { messageOf } from "@orch/status/message-of.js";
import type { LogFile } from "./log-file.js";
import { type Sink, type Written, written } from "./sink.js";

export type LogFormat = "json" | "legacy";

/** Events as lines of a file: each its JSON, or words for a person. */
export function createLogSink(file: LogFile, format: LogFormat): Sink {
  // One after the other: what is written in part is taken back.
  let before: Promise<unknown> = Promise.resolve();
  const append = (bytes: Buffer): Promise<Written> => {
    const appended = before
      .then(() => file.append(bytes))
      .then(
        () => written,
        (error: unknown): Written => ({ outcome: "failed", why: messageOf(error) }),
      );
    before = appended;
    return appended;
  };
  const close = async (): Promise<void> => {
    await before;
    await file.close();
  };
  if (format === "legacy") return { name: "log", write: (batch) => append(legacyLines(batch)), close };
  return { name: "log", write: (batch) => append(joinLines(batch)), writeLines: append, close };
}

function legacyLines(batch: readonly EventLine[]): Buffer {
  const texts = batch.flatMap((line) => {
    const event = readEvent(line);
    return event === undefined ? [] : [`${legacyLine(event)}\n`];
  });
  return Buffer.from(texts.join(""));
}
