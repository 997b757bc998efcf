import type { IncomingMessage } from "node:http";
import { hasBody } from "../request-body.js";

/** How many bytes of an unwanted body are read, and for how long. */
const unwantedBytes = 16 * 1024 * 1024;
const unwantedMs = 2_000;

/** Whether a body has not come whole; asked before its answer ends. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && hasBody(request.headers);
}

/**
 * Reads the rest of a body away after its answer was written, then ends the answer: ended before, the connection
 * could be reset, and a client that sends all before it reads would never see why it was refused.
 */
export function dropRest(request: IncomingMessage, end: () => void): void {
  let left = unwantedBytes;
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    clearTimeout(patience);
    end();
    if (!request.complete) request.socket.destroySoon();
  };
  const patience = setTimeout(finish, unwantedMs);
  request.removeAllListeners("data");
  request.on("data", (part: Buffer) => {
    left -= part.length;
    if (left < 0) finish();
  });
  request.once("end", finish).once("close", finish).resume();
}
