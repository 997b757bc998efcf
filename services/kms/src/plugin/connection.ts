import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { PluginFailure } from "@orch/encryption/plugin-keys.js";

/** A connection to a plugin on its socket, made when it is first needed and again when it breaks. */
export interface PluginConnection {
  /** @throws PluginFailure, which says how it ended, as the reference writes it */
  call<Request, Response>(method: PluginMethod<Request, Response>, request: Request): Promise<Response>;
  close(): void;
}

export interface PluginMethod<Request, Response> {
  /** `/v2.KeyManagementService/Status`. */
  readonly path: string;
  encode(request: Request): Uint8Array;
  decode(bytes: Uint8Array): Response;
}

export interface ConnectionOptions {
  readonly socketPath: string;
  readonly timeoutMs: number;
  /** Told of each call: how it ended, by the name of its gRPC code. */
  readonly called: (path: string, code: string, started: number) => void;
  readonly now: () => number;
  /** Milliseconds since 1970: gRPC's deadlines are of the wall clock. */
  readonly wallClock: () => number;
}

/** A plugin that starts late is found soon. */
const backoff = { "grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 1_000 };

export function connectPlugin({ socketPath, timeoutMs, called, now, wallClock }: ConnectionOptions): PluginConnection {
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
    ...backoff,
    "grpc.enable_retries": 0,
  });
  return {
    call: ({ path, encode, decode }, request) =>
      new Promise((resolve, reject) => {
        const started = now();
        client.makeUnaryRequest(
          path,
          (value) => Buffer.from(encode(value)),
          (bytes) => decode(bytes),
          request,
          new Metadata(),
          { deadline: timeoutMs + wallClock() },
          (error, response) => {
            called(path, codeName(error?.code), started);
            if (error !== null) reject(failureOf(error));
            else if (response === undefined)
              reject(new PluginFailure("rpc error: code = Internal desc = no answer", false));
            else resolve(response);
          },
        );
      }),
    close: () => client.close(),
  };
}

/** `DEADLINE_EXCEEDED` → `DeadlineExceeded`, as the reference writes codes. */
function codeName(code: status | undefined): string {
  if (code === undefined || code === status.OK) return "OK";
  const name: string = status[code] ?? "UNKNOWN";
  return name
    .split("_")
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join("");
}

const nobodyAnswered: readonly status[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

/** A plugin's own text is bounded: it reaches health checks and logs. */
const longestText = 1_000;

function failureOf({ code, details }: ServiceError): PluginFailure {
  const text = `rpc error: code = ${codeName(code)} desc = ${details.slice(0, longestText)}`;
  return new PluginFailure(text, nobodyAnswered.includes(code));
}
