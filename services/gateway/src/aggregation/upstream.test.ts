import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { TLSSocket } from "node:tls";
import { dialDirectly } from "@orch/outbound/dial.js";
import { apiOf, newClient, startBackend } from "./testing/backend.js";
import { createUpstream, type Incoming, type Outgoing } from "./upstream.js";

const { signal } = new AbortController();
const get: Outgoing = { method: "GET", target: "/", headers: [], signal };

const shownBy = ({ socket }: IncomingMessage): string =>
  socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject?.CN) : "";

async function textOf(incoming: Incoming): Promise<string> {
  assert.equal(incoming.type, "answer");
  const parts: Buffer[] = [];
  if (incoming.type === "answer") for await (const part of incoming.body) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function setup(t: TestContext) {
  const sockets = new Set<unknown>();
  const { port } = await startBackend(t, (message, response) => {
    sockets.add(message.socket);
    response.end(shownBy(message));
  });
  const { remote } = apiOf(port);
  assert.ok(remote);
  return { remote, at: { host: "127.0.0.1", port }, connections: () => sockets.size };
}

test("a client certificate that changes is shown with the next request, on another connection", async (t) => {
  const { remote, at, connections } = await setup(t);
  let pair = await newClient("one");
  const upstream = createUpstream({ dial: dialDirectly, pair: () => pair });
  t.after(() => upstream.close());
  const ask = async () => textOf(await upstream.send(remote, at, get));
  assert.deepEqual([await ask(), await ask(), connections()], ["one", "one", 1]);
  pair = await newClient("two");
  assert.deepEqual([await ask(), await ask(), connections()], ["two", "two", 2]);
});

test("a server is told from another of its address by its APIService, and forgotten with it", async (t) => {
  const { remote, at, connections } = await setup(t);
  const upstream = createUpstream({ dial: dialDirectly, pair: () => undefined });
  t.after(() => upstream.close());
  const ask = async (to = remote) => textOf(await upstream.send(to, at, get));
  await ask();
  await ask({ ...remote, insecure: true });
  await ask();
  assert.equal(connections(), 2);
  upstream.forget(remote);
  await ask();
  assert.equal(connections(), 3);
});

test("certificates are told of once a connection, and a request that is over before it begins is not sent", async (t) => {
  const { remote, at, connections } = await setup(t);
  const names: (string | undefined)[] = [];
  const shown = ({ subjectAltName }: { readonly subjectAltName: string | undefined }): void =>
    void names.push(subjectAltName);
  const upstream = createUpstream({ dial: dialDirectly, pair: () => undefined, shown });
  t.after(() => upstream.close());
  await textOf(await upstream.send(remote, at, get));
  await textOf(await upstream.send(remote, at, get));
  assert.deepEqual(names, ["DNS:svc.ns.svc"]);
  const over = new Error("over");
  await assert.rejects(upstream.send(remote, at, { ...get, signal: AbortSignal.abort(over) }), over);
  assert.equal(connections(), 1);
});
