import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** A request to go on as a WebSocket, as node's server gives it away. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** What came behind the request. */
  readonly head: Buffer;
  readonly id: string;
  /** Whether it does go on as one; else it is answered as if nothing but HTTP had been asked for. */
  readonly accepted: boolean;
}
