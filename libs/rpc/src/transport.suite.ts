import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError, badRequest, invalid, outcomeUnknown } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import type { Span } from "@orch/status/span.js";
import { bodyCodec } from "./codecs/codec.js";
import { watchCacheGet } from "./methods.js";
import type { Caller, Receiver, Sender, Services, StreamMethod, UnaryMethod } from "./rpc.js";
import { fakeSpan } from "./testing/fake-span.js";

/** A pair of ends under test; `window` is small, so that backpressure shows early. */
export interface Pair {
  readonly services: Services;
  readonly caller: Caller;
  readonly window: number;
  close(): Promise<void>;
}

export interface Body {
  readonly body: Buffer;
}

export const echo: UnaryMethod<Body, Body> = {
  kind: "unary",
  name: "test/Echo",
  idempotent: true,
  request: bodyCodec,
  response: bodyCodec,
};
export const once: UnaryMethod<Body, Body> = { ...echo, name: "test/Once", idempotent: false };
export const feed: StreamMethod<Body, Body> = {
  kind: "stream",
  name: "test/Feed",
  request: bodyCodec,
  response: bodyCodec,
};

export const text = (value: string): Body => ({ body: Buffer.from(value) });
export const hasReason = (reason: string) => (error: unknown) => error instanceof ApiError && error.reason === reason;

/** A receiver that keeps what arrives. */
export interface Inbox extends Receiver<Body> {
  readonly texts: string[];
  readonly ends: Array<ApiError | undefined>;
  bytes: number;
  readonly ended: Promise<ApiError | undefined>;
}

export function inbox(onMessage: (message: Body) => void = () => {}): Inbox {
  let finish: (error: ApiError | undefined) => void = () => {};
  const ended = new Promise<ApiError | undefined>((resolve) => {
    finish = resolve;
  });
  const self: Inbox = {
    texts: [],
    ends: [],
    bytes: 0,
    ended,
    message: (message) => {
      self.bytes += message.body.length;
      if (message.body.length < 100) self.texts.push(message.body.toString());
      onMessage(message);
    },
    end: (error) => {
      self.ends.push(error);
      finish(error);
    },
  };
  return self;
}

/** A promise and its hands. */
export function promised<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

export const ticks = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

/** What every transport does. */
export function transportSuite(name: string, create: () => Promise<Pair>): void {
  const scenario = (title: string, run: (pair: Pair) => Promise<void>): void => {
    test(title, { timeout: 30_000 }, async () => {
      const pair = await create();
      try {
        await run(pair);
      } finally {
        await pair.close();
      }
    });
  };
  describe(`transport ${name}`, () => {
    unaryCalls(scenario);
    streams(scenario);
    streamLimits(scenario);
    traces(scenario);
  });
}

/** Spans go along with calls, and what happens to them comes back: with an answer, an end or an error. */
function traces(scenario: Scenario): void {
  const seen = ({ traceparent, tracestate, auditId }: Span): string => `${traceparent} ${tracestate} ${auditId}`;
  const passed = "parent state audit, id";

  scenario("a call without a span has none at the server", async ({ services, caller }) => {
    services.unary(echo, (_, call) => text(String(call.span)));
    assert.deepEqual(await caller.call(echo, text("")), text("undefined"));
  });

  scenario("a call's span is the server's, and its events are the caller's", async ({ services, caller }) => {
    services.unary(echo, async (_, { span }) => {
      span?.event("at once", { n: 1 });
      await Promise.resolve();
      span?.event("late");
      return text(span === undefined ? "none" : seen(span));
    });
    const span = fakeSpan();
    const { body } = await caller.call(echo, text(""), { span, deadlineMs: 5_000 });
    assert.equal(body.toString(), passed);
    assert.deepEqual(
      span.told.map((one) => one.split(" {")[0]?.replace(" undefined", "")),
      ["at once", "late"],
    );
  });

  scenario("events come back with an error, too", async ({ services, caller }) => {
    services.unary(echo, (_, call) => {
      call.span?.event("failing", { why: "é" });
      throw badRequest("no");
    });
    const span = fakeSpan();
    await assert.rejects(caller.call(echo, text(""), { span }), hasReason("BadRequest"));
    assert.deepEqual(span.told, ['failing {"why":"é"}']);
  });

  scenario("a stream's span is the server's, and its events come with the end", async ({ services, caller }) => {
    services.stream(feed, (_, sender) => {
      sender.send(text(sender.span === undefined ? "none" : seen(sender.span)));
      sender.span?.event("sent", {});
      sender.end();
    });
    const span = fakeSpan();
    const box = inbox();
    caller.open(feed, text(""), box, { span });
    await box.ended;
    assert.deepEqual(box.texts, [passed]);
    assert.deepEqual(span.told, ["sent {}"]);
  });
}

type Scenario = (title: string, run: (pair: Pair) => Promise<void>) => void;

function unaryCalls(scenario: Scenario): void {
  scenario("a call is answered by a handler that answers at once and by one that takes its time", async (pair) => {
    pair.services.unary(echo, (request) => request);
    pair.services.unary(once, async (request) => {
      await ticks();
      return request;
    });
    assert.deepEqual(await pair.caller.call(echo, text("now")), text("now"));
    assert.deepEqual(await pair.caller.call(once, text("later")), text("later"));
    assert.deepEqual(await pair.caller.call(echo, text("")), text(""));
  });

  scenario("a request of several fields arrives as it was", async (pair) => {
    const request = {
      group: "",
      version: "v1",
      resource: "configmaps",
      namespace: "ü",
      name: "a",
      resourceVersion: "",
      subresource: "scale",
      form: "protobuf",
    };
    pair.services.unary(watchCacheGet, (got) => ({ body: Buffer.from(JSON.stringify(got)) }));
    const reply = await pair.caller.call(watchCacheGet, request);
    assert.deepEqual(JSON.parse(reply.body.toString()), request);
  });

  scenario("an ApiError arrives unchanged, from a throw and from a rejection", async (pair) => {
    const thrown = invalid({ group: "g", kind: "Thing" }, "n", [fieldError.required("spec.a")]);
    const rejected = outcomeUnknown();
    pair.services.unary(echo, () => {
      throw thrown;
    });
    pair.services.unary(once, () => Promise.reject(rejected));
    const same = (expected: ApiError) => (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(error.toStatus(), expected.toStatus());
      return true;
    };
    await assert.rejects(pair.caller.call(echo, text("")), same(thrown));
    await assert.rejects(pair.caller.call(once, text("")), same(rejected));
  });

  scenario("a fault of a handler is a 500 that keeps its text to itself", async (pair) => {
    pair.services.unary(echo, () => {
      throw new TypeError("secret");
    });
    await assert.rejects(pair.caller.call(echo, text("")), (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 500);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });

  scenario("a method that nobody serves is NotImplemented", async (pair) => {
    await assert.rejects(pair.caller.call(echo, text("")), hasReason("NotImplemented"));
    const received = inbox();
    pair.caller.open(feed, text(""), received);
    assert.equal((await received.ended)?.reason, "NotImplemented");
  });

  scenario("a deadline ends the call as Timeout and cancels the handler", async (pair) => {
    const cancelled = promised<boolean>();
    pair.services.unary(echo, (_request, call) => {
      assert.ok(call.deadline !== undefined);
      assert.equal(call.cancelled, false);
      call.onCancel(() => cancelled.resolve(call.cancelled));
      return new Promise(() => {});
    });
    await assert.rejects(pair.caller.call(echo, text(""), { deadlineMs: 80 }), hasReason("Timeout"));
    assert.equal(await cancelled.promise, true);
  });

  scenario("a call in time is not troubled by its deadline", async (pair) => {
    pair.services.unary(echo, (request, call) => {
      call.onCancel(() => assert.fail("cancelled"));
      return request;
    });
    assert.deepEqual(await pair.caller.call(echo, text("x"), { deadlineMs: 5000 }), text("x"));
    await ticks();
  });

  scenario("after close a call fails as ServiceUnavailable", async (pair) => {
    pair.services.unary(echo, (request) => request);
    assert.equal(pair.caller.ready, true);
    await pair.caller.close();
    assert.equal(pair.caller.ready, false);
    await assert.rejects(pair.caller.call(echo, text("")), hasReason("ServiceUnavailable"));
  });
}

function streams(scenario: Scenario): void {
  scenario("messages arrive in order, none before open returned, and one end", async (pair) => {
    pair.services.stream(feed, (request, sender) => {
      for (let i = 0; i < 100; i++) sender.send(text(`${request.body}${i}`));
      sender.end();
      sender.end();
      assert.equal(sender.send(text("late")), false);
    });
    let opened = false;
    const received = inbox(() => assert.ok(opened));
    pair.caller.open(feed, text("m"), received);
    opened = true;
    assert.equal(await received.ended, undefined);
    assert.deepEqual(
      received.texts,
      Array.from({ length: 100 }, (_, i) => `m${i}`),
    );
    await ticks();
    assert.equal(received.ends.length, 1);
  });

  scenario("a stream that fails ends with its error, after what was sent", async (pair) => {
    pair.services.stream(feed, (request, sender) => {
      sender.send(text("one"));
      if (request.body.length > 0) throw new ApiError("Expired", "too old");
      sender.end(new ApiError("Expired", "too old"));
    });
    for (const request of [text(""), text("throw")]) {
      const received = inbox();
      pair.caller.open(feed, request, received);
      assert.equal((await received.ended)?.reason, "Expired");
      assert.deepEqual(received.texts, ["one"]);
    }
  });

  scenario("a cancelled subscription hears nothing more and its handler learns it", async (pair) => {
    const cancelled = promised<void>();
    let sender: Sender<Body> | undefined;
    pair.services.stream(feed, (_request, given) => {
      sender = given;
      given.onCancel(() => cancelled.resolve());
      given.send(text("one"));
    });
    const first = promised<void>();
    const received = inbox(() => first.resolve());
    const subscription = pair.caller.open(feed, text(""), received);
    await first.promise;
    subscription.cancel();
    subscription.cancel();
    await cancelled.promise;
    assert.equal(sender?.cancelled, true);
    assert.equal(sender?.send(text("two")), false);
    sender?.end();
    await ticks();
    assert.deepEqual([received.texts, received.ends], [["one"], []]);
    let late = false;
    sender?.onCancel(() => {
      late = true;
    });
    assert.ok(late, "a listener that comes too late runs at once");
  });

  scenario("a stream cancelled at once never reaches its receiver", async (pair) => {
    pair.services.stream(feed, (_request, sender) => {
      sender.send(text("one"));
    });
    const received = inbox();
    pair.caller.open(feed, text(""), received).cancel();
    await ticks();
    assert.deepEqual([received.texts, received.ends], [[], []]);
  });

  scenario("one message sent to many streams arrives once on each, in each stream's own order", async (pair) => {
    const senders: Array<Sender<Body>> = [];
    pair.services.stream(feed, (_request, sender) => {
      senders.push(sender);
    });
    const inboxes = Array.from({ length: 5 }, () => inbox());
    for (const received of inboxes) pair.caller.open(feed, text(""), received);
    await until(() => senders.length === 5);
    const [x, y] = [text("x"), text("y")];
    senders.forEach((sender, i) => {
      for (const message of i % 2 === 0 ? [x, y, x] : [y, x]) sender.send(message);
    });
    for (const sender of senders) sender.end();
    await Promise.all(inboxes.map((received) => received.ended));
    inboxes.forEach((received, i) => {
      assert.deepEqual(received.texts, i % 2 === 0 ? ["x", "y", "x"] : ["y", "x"]);
    });
  });

  scenario("closing the caller ends its streams as ServiceUnavailable and cancels their handlers", async (pair) => {
    const cancelled = promised<void>();
    const started = promised<void>();
    pair.services.stream(feed, (_request, sender) => {
      sender.onCancel(() => cancelled.resolve());
      started.resolve();
    });
    const received = inbox();
    pair.caller.open(feed, text(""), received);
    await started.promise;
    await pair.caller.close();
    assert.equal((await received.ended)?.reason, "ServiceUnavailable");
    await cancelled.promise;
  });

  scenario("a receiver that throws loses its stream and nothing else", async (pair) => {
    const cancelled = promised<void>();
    pair.services.stream(feed, (_request, sender) => {
      sender.onCancel(() => cancelled.resolve());
      sender.send(text("one"));
      sender.send(text("two"));
    });
    pair.services.unary(echo, (request) => request);
    const received = inbox(() => {
      throw new TypeError("bad receiver");
    });
    pair.caller.open(feed, text(""), received);
    assert.equal((await received.ended)?.reason, "InternalError");
    await cancelled.promise;
    assert.deepEqual(received.texts, ["one"]);
    assert.deepEqual(await pair.caller.call(echo, text("still here")), text("still here"));
  });
}

function streamLimits(scenario: Scenario): void {
  scenario("a paused receiver stops its sender within the window; all arrives after resume", async (pair) => {
    const size = 1000;
    const total = Math.ceil((pair.window * 8) / size);
    let most = 0;
    let sent = 0;
    pair.services.stream(feed, (_request, sender) => {
      const more = (): void => {
        while (sent < total) {
          sent++;
          const goOn = sender.send({ body: Buffer.alloc(size, sent) });
          most = Math.max(most, sender.pendingBytes);
          if (!goOn) return;
        }
        sender.end();
      };
      sender.onDrain(more);
      more();
    });
    const order: number[] = [];
    const received = inbox((message) => order.push(message.body[0] ?? -1));
    const subscription = pair.caller.open(feed, text(""), received);
    subscription.pause();
    await ticks();
    assert.ok(sent < total, "the sender went on");
    assert.ok(received.bytes <= pair.window + size, `${received.bytes} bytes arrived`);
    subscription.resume();
    assert.equal(await received.ended, undefined);
    assert.ok(most <= pair.window + 2 * size, `${most} bytes were pending`);
    assert.equal(received.bytes, total * size);
    assert.deepEqual(
      order,
      Array.from({ length: total }, (_, i) => (i + 1) % 256),
    );
  });

  scenario("a message larger than the window passes", async (pair) => {
    const big = { body: Buffer.alloc(pair.window * 3 + 1, 7) };
    pair.services.stream(feed, (_request, sender) => {
      sender.send(big);
      sender.send(big);
      sender.end();
    });
    const received = inbox();
    pair.caller.open(feed, text(""), received);
    assert.equal(await received.ended, undefined);
    assert.equal(received.bytes, big.body.length * 2);
  });

  scenario("an end with an error overtakes what a receiver does not take", async (pair) => {
    pair.services.stream(feed, (_request, sender) => {
      while (sender.send({ body: Buffer.alloc(1000) })) {}
      for (let i = 0; i < 100; i++) sender.send({ body: Buffer.alloc(1000) });
      setTimeout(() => sender.end(new ApiError("TooManyRequests", "too slow")), 20);
    });
    const received = inbox();
    pair.caller.open(feed, text(""), received).pause();
    assert.equal((await received.ended)?.reason, "TooManyRequests");
    assert.ok(received.bytes <= pair.window + 2000, `${received.bytes} bytes arrived`);
  });

  scenario("a deadline ends a stream as Timeout and cancels its handler", async (pair) => {
    const cancelled = promised<void>();
    pair.services.stream(feed, (_request, sender) => {
      sender.onCancel(() => cancelled.resolve());
      sender.send(text("one"));
    });
    const received = inbox();
    pair.caller.open(feed, text(""), received, { deadlineMs: 80 });
    assert.equal((await received.ended)?.reason, "Timeout");
    await cancelled.promise;
    assert.deepEqual(received.texts, ["one"]);
  });
}
