/** Bytes of a stream that may be under way between its sender and its receiver. */
export const defaultWindow = 1024 * 1024;

/** Queued frames are written at once when they reach this many bytes, without waiting for the end of the tick. */
export const flushAt = 256 * 1024;

/** A batch holds at most this many bytes, unless one frame alone is larger. */
export const maxBatch = 1024 * 1024;

/** The largest payload of one frame; the receive limit of the connection is a little above it. */
export const maxPayload = 64 * 1024 * 1024;

/** Bytes given to gRPC and not yet written by it; above, frames wait in our queue, where they can be withdrawn. */
export const maxUnwritten = 2 * 1024 * 1024;

/** A connection with more than this waiting takes no further calls. */
export const maxWaiting = 64 * 1024 * 1024;
