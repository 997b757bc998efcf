import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { test } from "node:test";
import { dialDirectly } from "./dial.js";

test("a connection is probed, so that a machine that is gone without a word is missed", async (t) => {
  const server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const probed = t.mock.method(Socket.prototype, "setKeepAlive");
  const { port } = server.address() as AddressInfo;
  const socket = await dialDirectly({ host: "127.0.0.1", port }, new AbortController().signal);
  socket.end().resume();
  await once(socket, "close");
  server.close();
  assert.deepEqual(
    probed.mock.calls.map(({ arguments: given }) => given[0]),
    [true],
  );
});
