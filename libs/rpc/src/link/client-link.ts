import { isIP } from "node:net";
import { Client, type ClientDuplexStream } from "@grpc/grpc-js";
import type { ApiError } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import type { Payload } from "../codecs/codec.js";
import { maxWaiting } from "../limits.js";
import { MalformedError } from "../wire.js";
import { helloPayload, readError, readHello } from "./frame-payloads.js";
import { type InFrame, kinds, type OutFrame, outFrame, readBatch } from "./frames.js";
import { channelOptions, clientCredentials, type LinkSecurity, linkMethod } from "./grpc-link.js";
import { createOutbox } from "./outbox.js";
import { commonVersion, protocolVersion } from "./protocol-version.js";
import { createUnderWay } from "./under-way.js";

/** A call or stream as a link carries it. */
export interface Carried {
  readonly kind: typeof kinds.request | typeof kinds.open;
  readonly method: string;
  readonly payload: Payload;
  /** In the clock's milliseconds; Infinity without one. */
  readonly deadline: number;
  /** The window of a stream; 0 for a call. */
  readonly window: number;
  /** Of the caller's span; "" without one. */
  readonly trace: string;
  /** What happened to the span at the server: before the answer or the end. */
  traced(events: string): void;
  reply(payload: Buffer): void;
  message(payload: Buffer): void;
  end(error: ApiError | undefined): void;
  /** The link has failed it. If it was not `sent`, or was refused, it was surely not executed. */
  returned(sent: boolean): void;
}

export interface Ticket {
  /** Nobody waits for it any more: the link forgets it and tells the server. */
  cancel(): void;
  credit(bytes: number): void;
}

/** One connection to one peer, from its first attempt to its end. It is not reconnected: a new link takes its place. */
export interface Link {
  readonly state: "connecting" | "ready" | "draining" | "down";
  /** Calls and streams under way. */
  readonly load: number;
  /** Whether the peer keeps up with what it is sent. */
  readonly takesCalls: boolean;
  send(carried: Carried): Ticket;
  /** Takes no further calls and ends when those under way are done. */
  drain(): void;
  close(): void;
}

export interface LinkOptions {
  /** An IP address with its port. */
  readonly address: string;
  /** The name by which the peer is called. */
  readonly serverName: string;
  readonly security: LinkSecurity | undefined;
  /** {@link protocolVersion} where absent. */
  readonly version?: number | undefined;
  readonly clock: Clock;
  readonly onReady: () => void;
  /** The peer takes no further calls; those unsent were returned. */
  readonly onDraining: () => void;
  /** Runs once, after everything that the link carried was returned. */
  readonly onDown: (reason: string) => void;
}

const handshakeMs = 5_000;

function openWire({ address, serverName, security }: LinkOptions): {
  readonly client: Client;
  readonly wire: ClientDuplexStream<Buffer, Buffer>;
} {
  const client = new Client(address, clientCredentials(security), {
    ...channelOptions,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    // TLS does not accept an address as a server name; the identity says which name to expect.
    "grpc.ssl_target_name_override": isIP(serverName) === 0 ? serverName : "localhost",
    "grpc.default_authority": serverName,
  });
  const { path, requestSerialize, responseDeserialize } = linkMethod;
  return { client, wire: client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize) };
}

/** The rest of a deadline in the form of the wire, where 0 means that there is none. */
const leftOf = (ms: number): number => Math.min(Math.max(1, Math.ceil(ms)), 0xffff_ffff);

export function createLink(options: LinkOptions): Link {
  const { clock, version: own = protocolVersion } = options;
  const { client, wire } = openWire(options);
  const outbox = createOutbox(wire);
  const carried = createUnderWay<{ readonly one: Carried; readonly frame: OutFrame }>();
  let state: Link["state"] = "connecting";
  let lastId = 0;

  const down = (reason: string): void => {
    if (state === "down") return;
    state = "down";
    stopHandshake();
    outbox.close();
    wire.cancel();
    client.close();
    const rest = carried.entries();
    for (const [id] of rest) carried.take(id);
    for (const [, { one, frame }] of rest) one.returned(frame.state === "written");
    options.onDown(reason);
  };
  const stopHandshake = clock.after(handshakeMs, () => down("no greeting in time"));
  const finishDraining = (): void => {
    if (state === "draining" && carried.size === 0) down("drained");
  };
  const forget = (id: number): Carried | undefined => {
    const found = carried.take(id);
    if (found === undefined) return undefined;
    if (state === "draining") setImmediate(finishDraining);
    return found.one;
  };
  const drain = (): void => {
    if (state !== "ready" && state !== "connecting") return;
    state = "draining";
    const unsent = carried.entries().filter(([, { frame }]) => frame.state === "queued");
    for (const [id, { frame }] of unsent) {
      frame.state = "withdrawn";
      carried.take(id);
    }
    options.onDraining();
    for (const [, { one }] of unsent) one.returned(false);
    setImmediate(finishDraining);
  };
  const greeted = (frame: InFrame): void => {
    const { version, message } = readHello(frame.payload);
    if (frame.kind === kinds.reject) down(`the peer refused the connection: ${message}`);
    else if (commonVersion(own, version) !== version) down(`the peer speaks version ${version}, not ${own}`);
    else if (state === "connecting") {
      state = "ready";
      stopHandshake();
      options.onReady();
    }
  };
  const take = (frame: InFrame): void => {
    const { kind, id, payload } = frame;
    if (frame.trace !== "") carried.get(id)?.one.traced(frame.trace);
    if (kind === kinds.reply) forget(id)?.reply(payload);
    else if (kind === kinds.message) {
      carried.get(id)?.one.message(payload);
      for (const other of frame.also) carried.get(other)?.one.message(payload);
    } else if (kind === kinds.end) forget(id)?.end(undefined);
    else if (kind === kinds.error) forget(id)?.end(readError(payload));
    else if (kind === kinds.refused) forget(id)?.returned(false);
    else if (kind === kinds.goaway) drain();
    else if (kind === kinds.hello || kind === kinds.reject) greeted(frame);
    else throw new MalformedError(`a server does not send frames of kind ${kind}`);
  };

  wire.on("data", (batch: Buffer) => {
    if (state === "down") return;
    try {
      readBatch(batch, take);
    } catch (thrown) {
      if (!(thrown instanceof MalformedError)) throw thrown;
      down(`unreadable frames: ${thrown.message}`);
    }
  });
  wire.on("error", (error) => down(error.message));
  wire.on("end", () => down("the peer ended the connection"));
  outbox.push(outFrame(kinds.hello, { payload: helloPayload(own) }));

  return {
    get state() {
      return state;
    },
    get load() {
      return carried.size;
    },
    get takesCalls() {
      return state === "ready" && outbox.waitingBytes < maxWaiting;
    },
    send: (one) => {
      const id = ++lastId;
      const { method, payload, window: credit, deadline, trace } = one;
      const deadlineMs = deadline === Number.POSITIVE_INFINITY ? 0 : leftOf(deadline - clock.monotonic());
      const frame = outFrame(one.kind, { id, method, payload, credit, deadlineMs, trace });
      carried.set(id, { one, frame });
      outbox.push(frame);
      return {
        cancel: () => {
          if (forget(id) === undefined) return;
          if (frame.state === "queued") frame.state = "withdrawn";
          else outbox.push(outFrame(kinds.cancel, { id }));
        },
        credit: (bytes) => {
          if (carried.get(id) !== undefined) outbox.push(outFrame(kinds.credit, { id, credit: bytes }));
        },
      };
    },
    drain,
    close: () => down("closed"),
  };
}
