import type { ServerResponse } from "node:http";
import type { Clock } from "@orch/status/clock.js";
import { firstLine, type LogQuery, type LogSource, linesAt, logLine, timeOfLine } from "./log-lines.js";

export interface LogAnswer {
  readonly source: LogSource;
  readonly query: LogQuery;
  readonly follow: boolean;
  /** Bytes at most. */
  readonly limit: number | undefined;
  /** Whether it still writes. */
  readonly runs: () => boolean;
}

/** Writes lines that are there, and with `follow` those that come, as fast as they are read. Ends with what writes them. */
export function answerLog(response: ServerResponse, clock: Clock, answer: LogAnswer): void {
  const { source, query, follow, runs } = answer;
  let left = answer.limit ?? Number.POSITIVE_INFINITY;
  let next = firstLine(source, linesAt(source, clock.now()), query);
  let stop = (): void => {};
  response.once("close", () => stop());
  const go = (): void => {
    const lines = linesAt(source, clock.now());
    while (next < lines && left > 0) {
      const line = Buffer.from(logLine(source, next++, query)).subarray(0, left);
      left -= line.length;
      if (!response.write(line) && left > 0) return void response.once("drain", go);
    }
    if (!follow || left === 0 || !runs()) return void response.end();
    stop = clock.after(Math.max(1, timeOfLine(source, next) - clock.now()), go);
  };
  response.writeHead(200, { "Content-Type": "text/plain" });
  response.flushHeaders();
  go();
}
