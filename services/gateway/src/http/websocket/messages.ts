import { WebSocket } from "ws";
import { cutterOf } from "../../stream-frames.js";
import { type BodyStream, unlessFailed } from "../response.js";

/** Bytes that wait for a client before the sender is held back. */
const highWater = 64 * 1024;

/** The events of a watch, each a message: text where they are JSON, else bytes without the length before them. */
export function messageStream(socket: WebSocket, contentType: string): BodyStream {
  const cut = cutterOf(contentType);
  const binary = !contentType.includes("json");
  let drained: (() => void) | undefined;
  const sent = (): void => {
    if (drained === undefined || socket.bufferedAmount >= highWater) return;
    const run = drained;
    drained = undefined;
    run();
  };
  return {
    write(part, written = () => {}) {
      if (socket.readyState !== WebSocket.OPEN) return true;
      const frames = cut(part);
      const last = frames.at(-1);
      // The cutter has copied what it keeps.
      if (last === undefined) written();
      for (const frame of frames) {
        socket.send(frame, { binary }, (error) => {
          if (frame === last) unlessFailed(written)(error);
          sent();
        });
      }
      return socket.bufferedAmount < highWater;
    },
    end: () => socket.close(1000),
    cut: () => socket.terminate(),
    onDrain(run) {
      drained = run;
    },
  };
}
