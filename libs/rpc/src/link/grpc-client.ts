import { unavailable } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { Crowd, outside } from "@orch/status/crowd.js";
import { type Resolve, resolveByDns } from "../addresses.js";
import { callClock } from "../clock.js";
import { createDeadlines, type Mortal } from "../deadlines.js";
import { callerClosed, deadlinePassed } from "../errors.js";
import { defaultWindow } from "../limits.js";
import { type RpcLog, silent } from "../log.js";
import { createPeers } from "../peers.js";
import type { Caller, CallOptions } from "../rpc.js";
import { createDecoders, type Outgoing, outgoingCall, outgoingStream } from "./client-calls.js";
import { kinds } from "./frames.js";
import type { LinkSecurity } from "./grpc-link.js";

export interface ConnectOptions {
  /** `host:port[,host:port]`, `dns:host:port` or `unix:path`; every address of a name is an instance. */
  readonly target: string;
  /** Which identity to expect of the server; without it, connections are not encrypted. */
  readonly security?: LinkSecurity | undefined;
  /** Connections to each instance; with two or more, the first carries calls and the others streams. */
  readonly connections?: number;
  /** Bytes of a stream that may be under way. */
  readonly window?: number;
  /** How long a call waits for an instance when none is connected; a shorter deadline counts first. */
  readonly waitForPeerMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly resolve?: Resolve;
  readonly log?: RpcLog;
  /** Of the protocol; the one that this build speaks where absent. */
  readonly version?: number;
}

/** The calling end over the network. It connects at once and reconnects until it is closed. */
export function connect(options: ConnectOptions): Caller {
  const { target, connections = 2, window = defaultWindow, waitForPeerMs = 2_000, clock = callClock } = options;
  const { random = Math.random, resolve: resolveHost = resolveByDns, log = silent, security, version } = options;
  /** The calls under way are in one of these: with a deadline, or without. */
  const deadlines = createDeadlines<Outgoing & Mortal>(clock);
  const endless = new Crowd<Outgoing & Mortal>();
  const patience = createDeadlines(clock);
  const decoders = createDecoders();
  const parked = new Map<Outgoing, Mortal>();
  let closed = false;

  const unpark = (one: Outgoing): void => {
    const mortal = parked.get(one);
    if (mortal === undefined) return;
    parked.delete(one);
    patience.remove(mortal);
  };
  const dispatch = (one: Outgoing): void => {
    if (one.over) return;
    const link = peers.pick(one.kind === kinds.open ? "streams" : "calls");
    if (link !== undefined) one.carriedBy(link.send(one));
    else park(one);
  };
  const park = (one: Outgoing): void => {
    const expire = (): void => {
      parked.delete(one);
      one.fail(unavailable(`no instance of ${target} is connected`));
    };
    const mortal = { place: outside, deadline: clock.monotonic() + waitForPeerMs, expire };
    parked.set(one, mortal);
    patience.add(mortal);
  };
  const peers = createPeers({
    target,
    connections,
    security,
    version,
    clock,
    random,
    resolve: resolveHost,
    log,
    onReady: () => {
      for (const one of [...parked.keys()]) {
        unpark(one);
        dispatch(one);
      }
    },
  });
  const released = (one: Outgoing & Mortal): void => {
    if (isEndless(one)) endless.delete(one);
    else deadlines.remove(one);
    if (parked.size > 0) unpark(one);
  };
  const begin = (one: Outgoing & Mortal): void => {
    if (isEndless(one)) endless.add(one);
    else deadlines.add(one);
    dispatch(one);
  };
  const underWay = (): readonly Outgoing[] => [...endless.members(), ...deadlines.members()];
  const common = ({ deadlineMs, span }: CallOptions) => ({
    span,
    deadline: deadlineMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + deadlineMs,
    again: dispatch,
    released,
  });

  return {
    get ready() {
      return !closed && peers.ready;
    },
    call: (method, request, callOptions = {}) =>
      new Promise((resolve, reject) => {
        const { deadlineMs } = callOptions;
        if (closed) reject(callerClosed());
        else if (deadlineMs !== undefined && deadlineMs <= 0) reject(deadlinePassed(method.name));
        else begin(outgoingCall(method, request, { ...common(callOptions), resolve, reject }));
      }),
    open: (method, request, receiver, callOptions = {}) => {
      const all = { ...common(callOptions), receiver, window, decoders };
      const { stream, subscription } = outgoingStream(method, request, all);
      if (closed) queueMicrotask(() => stream.fail(callerClosed()));
      else begin(stream);
      return subscription;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      for (const one of underWay()) if (one.kind === kinds.open) one.fail(callerClosed());
      // The cancellations go out before the connections end.
      await new Promise((resolve) => setImmediate(resolve));
      peers.close();
      for (const one of underWay()) one.fail(callerClosed());
    },
  };
}

const isEndless = ({ deadline }: Mortal): boolean => deadline === Number.POSITIVE_INFINITY;
