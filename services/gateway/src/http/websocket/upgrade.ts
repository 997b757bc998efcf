import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** A request to go on as a WebSocket, with the connection that node's server hands over. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** Bytes that came after the request. */
  readonly head: Buffer;
  readonly id: string;
  /** Whether it does go on as one; else it is answered as if nothing but HTTP had been asked for. */
  readonly accepted: boolean;
}
