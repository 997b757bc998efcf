import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClientOver } from "../client.js";
import type { Transport, TransportRequest } from "../http/transport.js";
import { watch } from "../watch.js";

/** A request as the server has it. */
export interface Served {
  readonly method: string;
  readonly target: string;
  header(name: string): string | undefined;
  body(): Promise<Buffer>;
  /** A whole answer. */
  send(code: number, headers: Readonly<Record<string, string>>, body: string): void;
  begin(code: number): ServedStream;
  /** Runs once the client has gone or the answer is over. */
  onClose(run: () => void): void;
}

export interface ServedStream {
  /** False where the client is behind. */
  write(part: Buffer): boolean;
  onDrain(run: () => void): void;
  end(): void;
  cut(): void;
}

export type ServeWith = (served: Served) => void | Promise<void>;

export interface TransportBed {
  readonly name: string;
  /** A server, and a transport to it; the test closes both. */
  start(serve: ServeWith): Promise<{ readonly transport: Transport; close(): Promise<void> }>;
}

const get = (target = "/a?b=c"): TransportRequest => ({ method: "GET", target, headers: { accept: "text/plain" } });
const configmaps = { group: "", version: "v1", resource: "configmaps" };

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const part of body) text += part.toString();
  return text;
}

type Run = (transport: Transport, serving: { serve: ServeWith }) => Promise<void>;

const rules: Readonly<Record<string, Run>> = {
  async "a request comes as it was sent"(transport, serving) {
    let came: readonly unknown[] = [];
    serving.serve = async ({ method, target, header, body, send }) => {
      came = [method, target, header("x-one"), (await body()).toString()];
      send(200, {}, "");
    };
    await transport.send({ method: "POST", target: "/a?b=%20", headers: { "x-one": "1" }, body: "é" });
    assert.deepEqual(came, ["POST", "/a?b=%20", "1", "é"]);
  },
  async "a whole answer has its code, headers and body, whatever its code"(transport, serving) {
    for (const code of [200, 201, 404, 409, 503]) {
      serving.serve = ({ send }) => send(code, { etag: '"x"' }, `${code}`);
      const { status, headers, body } = await transport.send(get());
      assert.deepEqual([status, headers["etag"], body.toString()], [code, '"x"', `${code}`]);
      const opened = await transport.open(get());
      assert.deepEqual([opened.status, await textOf(opened.body)], [code, `${code}`]);
    }
  },
  async "a body that comes in parts is a whole answer, too"(transport, serving) {
    serving.serve = ({ begin }) => {
      const stream = begin(200);
      for (const part of ["one ", "two ", "three"]) stream.write(Buffer.from(part));
      stream.end();
    };
    assert.equal((await transport.send(get())).body.toString(), "one two three");
  },
  async "parts of a stream come as they are written"(transport, serving) {
    const streams: ServedStream[] = [];
    serving.serve = ({ begin }) => void streams.push(begin(200));
    const { body } = await transport.open(get());
    const parts = body[Symbol.asyncIterator]();
    const [stream] = streams;
    for (const text of ["one", "two"]) {
      stream?.write(Buffer.from(text));
      assert.equal((await parts.next()).value?.toString(), text);
    }
    stream?.end();
    assert.equal((await parts.next()).done, true);
  },
  async "an answer that is cut fails whoever reads it"(transport, serving) {
    serving.serve = ({ begin }) => {
      const stream = begin(200);
      stream.write(Buffer.from("half"));
      setTimeout(() => stream.cut(), 20);
    };
    await assert.rejects(transport.send(get()));
    const { body } = await transport.open(get());
    await assert.rejects(textOf(body));
  },
  async "who reads slowly holds the server back"(transport, serving) {
    const part = Buffer.alloc(64 * 1024, "x");
    let written = 0;
    let held = (): void => {};
    const behind = new Promise<void>((resolve) => {
      held = resolve;
    });
    serving.serve = async ({ begin }) => {
      const stream = begin(200);
      do {
        await new Promise((resolve) => setImmediate(resolve));
        written += part.length;
      } while (stream.write(part));
      held();
      stream.onDrain(() => stream.end());
    };
    const { body } = await transport.open(get());
    await behind;
    assert.equal((await textOf(body)).length, written);
  },
  async "who stops reading closes the exchange"(transport, serving) {
    const closed = new Promise<void>((resolve) => {
      serving.serve = ({ begin, onClose }) => {
        onClose(resolve);
        begin(200).write(Buffer.from("x"));
      };
    });
    const { body } = await transport.open(get());
    for await (const _ of body) break;
    body.destroy();
    await closed;
  },
  async "an aborted request rejects, and the server sees it gone"(transport, serving) {
    const abort = new AbortController();
    const closed = new Promise<void>((resolve) => {
      serving.serve = ({ onClose }) => {
        onClose(resolve);
        abort.abort(new Error("enough"));
      };
    });
    await assert.rejects(transport.send({ ...get(), signal: abort.signal }));
    await closed;
    await assert.rejects(transport.send({ ...get(), signal: abort.signal }));
    await assert.rejects(transport.open({ ...get(), signal: abort.signal }));
  },
  async "a watch that is aborted throws its signal's reason"(transport, serving) {
    const abort = new AbortController();
    const object = { metadata: { name: "a", resourceVersion: "1" } };
    serving.serve = ({ begin }) => void begin(200).write(Buffer.from(`${JSON.stringify({ type: "ADDED", object })}\n`));
    const client = createClientOver(transport);
    const seen: string[] = [];
    await assert.rejects(async () => {
      for await (const { type } of watch(client, configmaps, { signal: abort.signal })) {
        seen.push(type);
        setTimeout(() => abort.abort(new Error("enough")), 5);
      }
    }, /enough/);
    assert.deepEqual(seen, ["ADDED"]);
  },
  async "what is under way ends with the transport"(transport, serving) {
    let asked = (): void => {};
    const came = new Promise<void>((resolve) => {
      asked = resolve;
    });
    serving.serve = ({ target, begin }) => {
      if (target === "/stream") begin(200).write(Buffer.from("x"));
      else asked();
    };
    const { body } = await transport.open(get("/stream"));
    const reading = assert.rejects(textOf(body));
    const waiting = assert.rejects(transport.send(get("/whole")));
    await came;
    await transport.close();
    await Promise.all([reading, waiting]);
  },
};

/** What every transport does. */
export function transportSuite({ name, start }: TransportBed): void {
  describe(`a transport: ${name}`, { timeout: 30_000 }, () => {
    for (const [rule, run] of Object.entries(rules)) {
      test(rule, async () => {
        const serving: { serve: ServeWith } = { serve: () => {} };
        const { transport, close } = await start((served) => serving.serve(served));
        try {
          await run(transport, serving);
        } finally {
          await transport.close();
          await close();
        }
      });
    }
  });
}
