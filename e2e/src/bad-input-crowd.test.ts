import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { converse, head } from "./bad-input-conversation.js";
import { type Server, startServer } from "./command-line-program.js";
import { until } from "./harness/until.js";

const maps = "/api/v1/namespaces/default/configmaps";
const json = { "Content-Type": "application/json" };
const mebibyte = 1024 * 1024;
const wanted = 10_000;

test("ten thousand connections at once are served", async (t) => {
  const count = Math.min(wanted, (await openFiles()) - 1_000);
  if (count < wanted) {
    // Loud, because the promise is about ten thousand.
    process.stderr.write(
      `\n*** only ${count} of ${wanted} connections are tried: raise the limit of open files (ulimit -n)\n\n`,
    );
    t.diagnostic(`only ${count} connections: the limit of open files is too low`);
  }
  const server = await startServer(t);
  const sockets = await openAll(t, server, count);
  assert.equal((await server.ask("/livez")).status, 200);
  const request = head(server, { path: "/livez" });
  const answered = await Promise.all(sockets.map((socket) => firstLine(socket, request)));
  assert.deepEqual(new Set(answered), new Set(["HTTP/1.1 200 OK"]));
  const resident = await server.metric("process_resident_memory_bytes");
  t.diagnostic(`${Math.round(resident / mebibyte)} MiB resident with ${count} connections`);
  assert.ok(resident < 1_500 * mebibyte, `${Math.round(resident / mebibyte)} MiB resident`);
  for (const socket of sockets) socket.destroy();
  const answer = await server.ask(maps, { method: "POST", headers: json, body: '{"metadata":{"name":"after"}}' });
  assert.equal(answer.status, 201, answer.body);
});

/** How many files this process and those that it starts may have open. */
async function openFiles(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? 1_024 + 1_000 : Number(soft);
}

/** Each has asked something once: a connection that never does is ended while the others open. */
async function openAll(t: TestContext, server: Server, count: number): Promise<readonly TLSSocket[]> {
  const secureContext = createSecureContext({ ca: server.ca });
  const request = head(server, { path: "/livez" });
  const sockets: TLSSocket[] = [];
  // Resumed sessions: what is tested is how many there are, not how fast they shake hands.
  let session: Buffer | undefined;
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const openSome = async (): Promise<void> => {
    while (sockets.length < count) {
      const known = session === undefined ? {} : { session };
      const socket = connect({ host: "127.0.0.1", port: server.port, secureContext, ...known });
      sockets.push(socket);
      socket.once("session", (ticket: Buffer) => {
        session ??= ticket;
      });
      await once(socket, "secureConnect");
      assert.equal(await firstLine(socket, request), "HTTP/1.1 200 OK");
    }
  };
  await Promise.all(Array.from({ length: 64 }, openSome));
  return sockets;
}

function firstLine(socket: TLSSocket, request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const read = (part: Buffer): void => {
      text += part.toString("latin1");
      if (text.endsWith("ok")) done(text.slice(0, text.indexOf("\r\n")));
    };
    const failed = (error: Error): void => done(error.message);
    const closed = (): void => done(`closed after ${JSON.stringify(text)}`);
    const done = (line: string): void => {
      socket.off("data", read).off("error", failed).off("close", closed);
      resolve(line);
    };
    socket.on("data", read).on("error", failed).on("close", closed);
    socket.write(request);
  });
}

test("watchers that stop reading are ended, and nobody else notices", async (t) => {
  // Controllers watch every kind: without them the watchers can be counted.
  const server = await startServer(t, { args: ["--controllers="] });
  const deaf = await Promise.all(Array.from({ length: 20 }, () => watcher(t, server)));
  for (const { socket } of deaf) socket.pause();
  const listening = await watcher(t, server);
  // The gateway watches the two kinds that configure its flow control, the four of RBAC, and API services.
  const own = 7;
  const watchers = (): Promise<number> => server.metric("orch_watch_cache_watchers");
  await until("all of them watch", async () => (await watchers()) === own + 21 || undefined);

  // More than the buffers of a connection and of the server hold together.
  const value = "x".repeat(900 * 1024);
  let written = 0;
  for (; (await watchers()) > own + 1 && written < 60; written++) {
    const body = JSON.stringify({ metadata: { name: "large" }, data: { k: value, n: String(written) } });
    const [method, path] = written === 0 ? ["POST", maps] : ["PUT", `${maps}/large`];
    const answer = await server.ask(path, { method, headers: json, body });
    assert.ok(answer.status === 200 || answer.status === 201, answer.body.slice(0, 300));
  }
  assert.equal(await watchers(), own + 1, `after ${written} writes`);
  await listening.until(new RegExp(`"n":"${written - 1}"`));
  const seen = [...listening.received().matchAll(/"type":"(\w+)"/g)].map(([, type]) => type);
  assert.deepEqual(seen, ["ADDED", ...Array(written - 1).fill("MODIFIED")]);
  const resident = await server.metric("process_resident_memory_bytes");
  assert.ok(resident < 900 * mebibyte, `${Math.round(resident / mebibyte)} MiB resident`);
});

async function watcher(t: TestContext, server: Server) {
  const conversation = await converse(t, server);
  conversation.socket.write(
    head(server, { path: `${maps}?watch=1&timeoutSeconds=300&fieldSelector=metadata.name%3Dlarge` }),
  );
  await conversation.until(/200 OK/);
  await pause(0);
  return conversation;
}
