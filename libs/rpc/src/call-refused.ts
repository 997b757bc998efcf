import type { CallFailure } from "./messages.js";

/** A webhook gave no answer; the message says why. */
export class CallRefused extends Error {
  readonly failure: CallFailure;
  /** The HTTP status; 0 where there was none. */
  readonly status: number;

  constructor({ failure, message, status }: { failure: CallFailure; message: string; status: number }) {
    super(message);
    this.name = "CallRefused";
    this.failure = failure;
    this.status = status;
  }
}
