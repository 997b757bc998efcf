import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { deferred } from "../testing/deferred.js";
import type { Exchange, Serve } from "./exchange.js";
import type { HeaderList } from "./response.js";

export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
  /** Announces more of a body than it sends. */
  readonly missing?: number;
}

/** What a client has of an answer before its body. */
export interface Head {
  readonly code: number;
  /** The values of a header, in order. */
  header(name: string): readonly string[];
}

export interface Body {
  readonly bytes: Buffer;
  /** False where the client can tell that the rest is missing. */
  readonly whole: boolean;
}

/** One request of a client, which reads nothing of the body until it is told to. */
export interface Visit {
  readonly head: Promise<Head>;
  read(): Promise<Body>;
  /** The client goes away. */
  leave(): void;
}

/** A server that gives its exchanges to `serve`, and a client of it. */
export interface Connected {
  visit(asked: Asked): Visit;
  close(): Promise<void>;
}

export interface Protocol {
  readonly name: string;
  /** What the client sees of a stream that was begun with 200. */
  readonly streamCode: number;
  readonly address: string;
  readonly connect: (serve: Serve) => Promise<Connected>;
  /** Cases that cannot be, each with the reason. */
  readonly skips: Readonly<Record<string, string>>;
}

/** Serves one request with `serve`, and settles with what it returned. */
type Ask = <T>(asked: Partial<Asked>, serve: (exchange: Exchange) => T | Promise<T>) => Served<T>;

interface Served<T> extends Visit {
  readonly served: Promise<T>;
}

interface Case {
  readonly rule: string;
  run(ask: Ask, protocol: Protocol): Promise<void>;
}

/** Taken as a watch, so that it may be asked for in every protocol. */
const target = "/api/v1/namespaces/a%2Eb/pods?watch=1&x=%20";
const json: HeaderList = ["Content-Type", "application/json"];
const line = (n: number): Buffer => Buffer.from(`{"n":${n}}\n`);
const closed = ({ response }: Exchange): Promise<void> => new Promise((resolve) => response.onClose(resolve));
const reasonOf = (error: unknown): string => (error instanceof ApiError ? error.reason : String(error));

const requests: readonly Case[] = [
  {
    rule: "a request is what the client sent",
    async run(ask, { address }) {
      const headers = { "x-one": "1", "x-several": ["a", "b"] };
      const { served, read } = ask({ headers }, ({ request, response }) => {
        response.send(200, [], "");
        const { method, path, query, peer } = request;
        return { method, path, x: query?.get("x"), address: peer.address, certificate: peer.certificate, request };
      });
      const { request, ...seen } = await served;
      const path = "/api/v1/namespaces/a%2Eb/pods";
      assert.deepEqual(seen, { method: "GET", path, x: " ", address, certificate: undefined });
      assert.deepEqual([request.header("x-one"), request.headers["x-one"]], ["1", "1"]);
      assert.equal(request.header("x-several"), "a, b");
      assert.equal(request.header("x-none"), undefined);
      assert.deepEqual(request.distinctHeaders()["x-several"], ["a", "b"]);
      assert.match(request.header("host") ?? "", /^(localhost|127\.0\.0\.1)/);
      await read();
    },
  },
  {
    rule: "a body comes whole",
    async run(ask) {
      const body = Buffer.alloc(100_000, "b");
      const { served, read } = ask({ method: "POST", body }, async ({ request, response }) => {
        const came = await request.body(100_000);
        response.send(200, [], "");
        return came;
      });
      assert.ok((await served).equals(body));
      await read();
    },
  },
  {
    rule: "a body over its limit is refused, and the client is told",
    async run(ask) {
      const { served, head } = ask({ method: "POST", body: Buffer.alloc(1001) }, ({ request, response }) =>
        request.body(1000).catch((error) => {
          response.send(413, [], "too large");
          return error;
        }),
      );
      assert.equal(reasonOf(await served), "RequestEntityTooLarge");
      assert.equal((await head).code, 413);
    },
  },
  {
    rule: "a body that breaks off is an error",
    async run(ask) {
      const began = deferred<void>();
      const { served, head, leave } = ask({ method: "POST", body: Buffer.alloc(5), missing: 5 }, ({ request }) => {
        began.resolve();
        return request.body(1000).catch((error) => error);
      });
      await began.promise;
      leave();
      assert.equal(reasonOf(await served), "BadRequest");
      await assert.rejects(head);
    },
  },
];

const answers: readonly Case[] = [
  {
    rule: "a whole answer has its code, headers, id and length",
    async run(ask) {
      const { served, head, read } = ask({}, ({ request, response }) => {
        response.addHeaders(["X-First", "1"]);
        response.addHeaders(["X-Second", "2"]);
        response.send(201, ["Content-Type", "text/plain", "Warning", "a", "Warning", "b"], "é");
        return { id: request.id, code: response.code };
      });
      const { code, header } = await head;
      const { id, code: noted } = await served;
      assert.deepEqual([code, noted], [201, 201]);
      const names = ["audit-id", "content-type", "cache-control", "x-first", "x-second", "content-length"];
      assert.deepEqual(names.map(header), [[id], ["text/plain"], ["no-cache, private"], ["1"], ["2"], ["2"]]);
      // Clients may join what came more than once.
      assert.equal(header("warning").join(", "), "a, b");
      const { bytes, whole } = await read();
      assert.deepEqual([bytes.toString(), whole], ["é", true]);
    },
  },
  {
    rule: "what an answer says of caches is said alone",
    async run(ask) {
      const { head, read } = ask({}, ({ response }) => response.send(200, ["Cache-Control", "public"], ""));
      assert.deepEqual((await head).header("cache-control"), ["public"]);
      await read();
    },
  },
  {
    rule: "the first answer counts",
    async run(ask) {
      const { head, read } = ask({}, ({ response }) => {
        response.send(200, [], "first");
        response.send(500, [], "second");
        const third = response.stream(500, json);
        third.write(line(3));
        third.end();
      });
      assert.equal((await head).code, 200);
      assert.equal((await read()).bytes.toString(), "first");
    },
  },
  {
    rule: "no answer has the code 0, and an answer that has ended is closed",
    async run(ask) {
      const { served, read } = ask({}, async (exchange) => {
        const { response } = exchange;
        const before = [response.code, response.closed];
        response.send(200, [], "");
        await closed(exchange);
        return { before, after: response.closed };
      });
      await read();
      assert.deepEqual(await served, { before: [0, false], after: true });
    },
  },
  {
    rule: "an answer to HEAD has no body, but its length",
    async run(ask) {
      const whole = ask({ method: "HEAD" }, ({ response }) => response.send(200, [], "body"));
      assert.deepEqual((await whole.head).header("content-length"), ["4"]);
      assert.equal((await whole.read()).bytes.length, 0);
      const parts = ask({ method: "HEAD" }, async (exchange) => {
        const stream = exchange.response.stream(200, ["Content-Length", "8"]);
        stream.write(line(1));
        stream.end();
        await closed(exchange);
      });
      assert.deepEqual((await parts.head).header("content-length"), ["8"]);
      assert.equal((await parts.read()).bytes.length, 0);
      await parts.served;
    },
  },
];

const streams: readonly Case[] = [
  {
    rule: "parts come in order, and the end is an end",
    async run(ask, { streamCode }) {
      const { served, head, read } = ask({}, async (exchange) => {
        const stream = exchange.response.stream(200, json);
        stream.write(line(1));
        await new Promise((resolve) => setImmediate(resolve));
        stream.write(line(2));
        stream.end();
        await closed(exchange);
        return [exchange.response.code, exchange.response.closed];
      });
      assert.equal((await head).code, streamCode);
      const { bytes, whole } = await read();
      assert.deepEqual([bytes.toString(), whole], [`${line(1)}${line(2)}`, true]);
      assert.deepEqual(await served, [streamCode, true]);
    },
  },
  {
    rule: "a stream has the headers of every answer",
    async run(ask) {
      const { served, head, read } = ask({}, ({ request, response }) => {
        response.addHeaders(["X-First", "1"]);
        response.stream(200, json).end();
        return request.id;
      });
      const { header } = await head;
      const names = ["audit-id", "content-type", "cache-control", "x-first", "content-length"];
      const expected = [[await served], ["application/json"], ["no-cache, private"], ["1"], []];
      assert.deepEqual(names.map(header), expected);
      await read();
    },
  },
  {
    rule: "nothing is answered after a stream has begun",
    async run(ask, { streamCode }) {
      const { head, read } = ask({}, ({ response }) => {
        const stream = response.stream(200, json);
        response.send(500, [], "late");
        response.stream(500, json).write(line(2));
        stream.write(line(1));
        stream.end();
      });
      assert.equal((await head).code, streamCode);
      assert.equal((await read()).bytes.toString(), line(1).toString());
    },
  },
  {
    rule: "a stream that is cut is seen to be",
    async run(ask) {
      const { read } = ask({}, async ({ response }) => {
        const stream = response.stream(200, json);
        await new Promise<void>((resolve) => void stream.write(line(1), resolve));
        // The client has the first part before it loses the rest.
        await new Promise((resolve) => setTimeout(resolve, 50));
        stream.cut();
      });
      assert.equal((await read()).whole, false);
    },
  },
  {
    rule: "it is told of each part when its memory may be used again",
    async run(ask) {
      const { served, read } = ask({}, async ({ response }) => {
        const stream = response.stream(200, json);
        const written: number[] = [];
        for (const n of [1, 2]) {
          await new Promise<void>((resolve) => {
            stream.write(line(n), () => {
              written.push(n);
              resolve();
            });
          });
        }
        stream.end();
        return written;
      });
      await read();
      assert.deepEqual(await served, [1, 2]);
    },
  },
  {
    rule: "a client that does not read holds the sender back until it does",
    async run(ask) {
      const part = Buffer.concat([Buffer.alloc(64 * 1024 - 1, " "), Buffer.from("\n")]);
      const held = deferred<void>();
      const { served, head, read } = ask({}, async ({ response }) => {
        const stream = response.stream(200, json);
        let parts = 1;
        // Buffers of both ends and of the system take some.
        for (; stream.write(part); parts++) await new Promise((resolve) => setImmediate(resolve));
        const drained = new Promise<void>((resolve) => stream.onDrain(resolve));
        held.resolve();
        await drained;
        stream.end();
        return parts;
      });
      await head;
      await held.promise;
      const { bytes, whole } = await read();
      assert.deepEqual([bytes.length, whole], [(await served) * part.length, true]);
    },
  },
  {
    rule: "a client that goes away closes its exchange, and what comes later is dropped",
    async run(ask) {
      const began = deferred<void>();
      const { served, leave } = ask({}, async (exchange) => {
        const { response } = exchange;
        const stream = response.stream(200, json);
        stream.write(line(1));
        const gone = closed(exchange);
        began.resolve();
        await gone;
        stream.write(line(2));
        stream.end();
        // Whoever asks late is told at once.
        await closed(exchange);
        return response.closed;
      });
      await began.promise;
      leave();
      assert.equal(await served, true);
    },
  },
  {
    rule: "a client that goes away unanswered closes its exchange, and no answer begins",
    async run(ask) {
      const began = deferred<void>();
      const { served, head, leave } = ask({}, async (exchange) => {
        const gone = closed(exchange);
        began.resolve();
        await gone;
        exchange.response.send(200, [], "late");
        exchange.response.stream(200, json).write(line(1));
        return [exchange.response.closed, exchange.response.code];
      });
      await began.promise;
      leave();
      assert.deepEqual(await served, [true, 0]);
      await assert.rejects(head);
    },
  },
];

const groups: Readonly<Record<string, readonly Case[]>> = { request: requests, answer: answers, stream: streams };

/** What a request and its response are in every protocol. */
export function exchangeSuite(protocol: Protocol): void {
  const rules = new Set(Object.values(groups).flatMap((cases) => cases.map(({ rule }) => rule)));
  for (const rule of Object.keys(protocol.skips)) assert.ok(rules.has(rule), `a skip of what is no rule: ${rule}`);
  describe(`an exchange over ${protocol.name}`, { timeout: 30_000 }, () => {
    let serve: Serve = () => {};
    let connected: Connected;
    before(async () => {
      connected = await protocol.connect((exchange) => serve(exchange));
    });
    after(() => connected.close());
    const ask: Ask = <T>(asked: Partial<Asked>, run: (exchange: Exchange) => T | Promise<T>) => {
      const served = deferred<T>();
      serve = (exchange) => {
        (async () => run(exchange))().then(served.resolve, served.reject);
      };
      const visit = connected.visit({ method: "GET", target, headers: {}, body: Buffer.alloc(0), ...asked });
      // Both are waited for where a case is about them.
      served.promise.catch(() => {});
      visit.head.catch(() => {});
      return { ...visit, served: served.promise };
    };
    for (const [group, cases] of Object.entries(groups)) {
      for (const { rule, run } of cases) {
        test(`${group}: ${rule}`, { skip: protocol.skips[rule] ?? false }, () => run(ask, protocol));
      }
    }
  });
}
