import { setTimeout as delay } from "node:timers/promises";
import { unavailable } from "@orch/status/api-error.js";
import { StoreUnreachable } from "../unreachable.js";
import type { Connections } from "./connections.js";
import { type Failure, failureOf } from "./failure.js";
import { type Header, type Method, methods, type TxnRequest, type TxnResponse } from "./methods.js";
import type { Observed } from "./observed.js";
import type { Reach } from "./reach.js";

/** User and password as etcd's own authentication has them. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export type Answer<T> =
  | { readonly type: "answer"; readonly response: T }
  | Exclude<Failure, { readonly type: "unauthenticated" }>;

/** What every answer has. */
interface Headed {
  readonly header?: Header;
}

export interface Calls {
  /** For what may run twice (reads, compaction): goes to another member until one answers or the time is over. */
  repeatable<Request, Response extends Headed>(
    method: Method<Request, Response>,
    request: Request,
  ): Promise<Exclude<Answer<Response>, { readonly type: "lost" }>>;
  /** Sends a transaction at most once; `lost` means that nobody knows. Throws when it surely was not sent. */
  once(request: TxnRequest): Promise<Answer<TxnResponse>>;
  /** The token to open a stream with; undefined without authentication. */
  token(): Promise<string | undefined>;
  /** Says that the token was refused. */
  tokenRefused(token: string | undefined): void;
}

export interface CallTimes {
  /** How long a read is tried, and a write waits for a connection. */
  readonly totalMs: number;
  /** How long the first attempt of a read may take; each further one so much longer. */
  readonly attemptMs: number;
  /** How long an answer to a transaction is waited for; above etcd's own request timeout (5 s and two elections). */
  readonly writeMs: number;
}

export const callTimes: CallTimes = { totalMs: 10_000, attemptMs: 3_000, writeMs: 8_000 };

export interface CallsOptions {
  readonly connections: Connections;
  readonly auth: Credentials | undefined;
  readonly observed: Pick<Observed, "cluster" | "answered">;
  readonly reach: Reach;
  readonly times: CallTimes;
}

export function createCalls({ connections, auth, observed, reach, times }: CallsOptions): Calls {
  const tokens = createTokens(connections, auth, times);

  const unreachable = (error: unknown): never => {
    if (error instanceof StoreUnreachable) reach.failed(error.message);
    throw error;
  };

  /** One attempt on one member. Answers "unauthenticated" only after a new token did not help. */
  async function attempt<Request, Response extends Headed>(
    method: Method<Request, Response>,
    request: Request,
    times: { readonly waitMs: number; readonly timeoutMs: number },
  ): Promise<Answer<Response>> {
    for (let tries = 1; ; tries++) {
      const token = await tokens.get();
      const connection = await connections.ready(times.waitMs).catch(unreachable);
      const { cluster } = observed;
      try {
        const response = await connection.call(method, request, { timeoutMs: times.timeoutMs, token });
        reach.answered();
        observed.answered(response.header, cluster);
        return { type: "answer", response };
      } catch (error) {
        const failure = failureOf(error);
        if (failure.type === "lost") connections.failed(connection);
        if (failure.type !== "unauthenticated") return failure;
        // Refused before execution, so sending again is safe whatever it is.
        tokens.refused(token);
        if (auth === undefined || tries === 2) return { type: "refused", error: failure.error };
      }
    }
  }

  return {
    async repeatable(method, request) {
      const deadline = performance.now() + times.totalMs;
      let pauseMs = 20;
      for (let tries = 1; ; tries++, pauseMs = Math.min(500, pauseMs * 2)) {
        const left = Math.max(1, deadline - performance.now());
        // A dead connection must not take all the time, a slow store must not be asked ever faster.
        const timeoutMs = Math.min(left, times.attemptMs * tries);
        const answer = await attempt(method, request, { waitMs: left, timeoutMs });
        if (answer.type !== "lost") return answer;
        if (deadline - performance.now() < pauseMs)
          throw unreachable(new StoreUnreachable("the store does not answer", answer.cause));
        await delay(pauseMs);
      }
    },
    once: (request) => attempt(methods.txn, request, { waitMs: times.totalMs, timeoutMs: times.writeMs }),
    token: () => tokens.get(),
    tokenRefused: (token) => tokens.refused(token),
  };
}

interface Tokens {
  get(): Promise<string | undefined>;
  refused(token: string | undefined): void;
}

/** One token at a time, fetched when first needed and again when refused (etcd forgets idle ones). */
function createTokens(connections: Connections, auth: Credentials | undefined, times: CallTimes): Tokens {
  let current: Promise<string> | undefined;
  let known: string | undefined;

  async function authenticate({ username, password }: Credentials): Promise<string> {
    const connection = await connections.ready(times.totalMs);
    try {
      const request = { name: username, password };
      const response = await connection.call(methods.authenticate, request, {
        timeoutMs: times.attemptMs,
        token: undefined,
      });
      known = response.token ?? "";
      return known;
    } catch (error) {
      connections.failed(connection);
      const failure = failureOf(error);
      if (failure.type === "refused" || failure.type === "unauthenticated") throw failure.error;
      throw unavailable("the store did not answer our login", error);
    }
  }

  return {
    get() {
      if (auth === undefined) return Promise.resolve(undefined);
      if (current === undefined) {
        const fetching = authenticate(auth);
        current = fetching;
        fetching.catch(() => {
          if (current === fetching) current = undefined;
        });
      }
      return current;
    },
    refused(token) {
      if (token === known) current = undefined;
    },
  };
}
