import type { RawData, WebSocket } from "ws";

/** The channels of a connection to a container: the first byte of each message. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export interface ContainerStream {
  stdout(text: string | Buffer): void;
  /** Says how it ended, and ends. */
  end(exitCode: number): void;
  onStdin(run: (part: Buffer) => void): void;
  /** The client has said all that it will; protocols before the fifth cannot say so. */
  onStdinEnd(run: () => void): void;
  onClose(run: () => void): void;
}

/** The streams of a container on the channels of a WebSocket. */
export function containerStream(socket: WebSocket): ContainerStream {
  let stdin: (part: Buffer) => void = () => {};
  let stdinEnd = (): void => {};
  const send = (channel: number, data: string | Buffer): void => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(data)]), { binary: true });
  };
  socket.on("error", () => {});
  socket.on("message", (data) => {
    const message = bytesOf(data);
    if (message[0] === channels.stdin) stdin(message.subarray(1));
    else if (message[0] === channels.close && message[1] === channels.stdin) stdinEnd();
  });
  return {
    stdout: (text) => send(channels.stdout, text),
    end(exitCode) {
      send(channels.error, JSON.stringify(statusOf(exitCode)));
      socket.close(1000);
    },
    onStdin: (run) => {
      stdin = run;
    },
    onStdinEnd: (run) => {
      stdinEnd = run;
    },
    onClose: (run) => void socket.once("close", run),
  };
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

function statusOf(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: "Success" };
  return {
    ...{ metadata: {}, status: "Failure", reason: "NonZeroExitCode" },
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  };
}
