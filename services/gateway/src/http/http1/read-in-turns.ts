import type { Socket } from "node:net";

/**
 * Node feeds its parser straight from the connection until somebody listens to the bytes. What was deciphered while the
 * parser pauses, because the answer before is not all sent, is then an error: a large body after a large answer was
 * refused with 400. Bytes that come as events wait instead, at 4 µs a request: only connections that had a large answer.
 */
export function readInTurns(socket: Socket): void {
  if (inTurns.has(socket)) return;
  inTurns.add(socket);
  const nothing = (): void => {};
  socket.on("data", nothing);
  socket.off("data", nothing);
}

const inTurns = new WeakSet<Socket>();
