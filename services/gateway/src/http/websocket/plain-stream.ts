import type { Socket } from "node:net";
import { type BodyStream, unlessFailed } from "../response.js";

/** The body of a plain answer to an upgrade that goes on as nothing else; it ends with its connection. */
export function plainStream(socket: Socket): BodyStream {
  return {
    write: (part, written) => (written === undefined ? socket.write(part) : socket.write(part, unlessFailed(written))),
    end: () => void socket.end(),
    cut: () => void socket.destroy(),
    onDrain: (run) => void socket.once("drain", run),
  };
}
