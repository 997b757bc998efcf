import type { StreamObserver } from "./observed-stream.js";

/** What a call holds while it runs. */
export interface Seats {
  /** Given back; any further time does nothing. */
  release(): void;
  /** Wants to know how the stream of the call's list or watch goes. */
  readonly stream: StreamObserver | undefined;
  /** Wants to know what a write came to. */
  readonly write: WriteObserver | undefined;
}

/** Those of a call that nothing bounds. */
export const noSeats: Seats = { release() {}, stream: undefined, write: undefined };

export interface WriteObserver {
  /** Its body is read. */
  began(): void;
  /** It was answered. */
  ended(bytes: number, answered: number): void;
}
