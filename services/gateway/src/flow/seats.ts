import type { StreamObserver } from "./observed-stream.js";

/** What a call holds while it runs. */
export interface Seats {
  /** Gives the seats back; calling it again does nothing. */
  release(): void;
  /** Observes the stream of the call's list or watch. */
  readonly stream: StreamObserver | undefined;
  /** Observes a write. */
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
