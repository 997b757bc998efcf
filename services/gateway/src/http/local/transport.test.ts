import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserInfo } from "@orch/auth/user.js";
import { type Served, transportSuite } from "@orch/client/testing/transport.suite.js";
import type { Exchange } from "../exchange.js";
import type { HeaderList } from "../response.js";
import { createLocalTransport } from "./transport.js";

const ann: UserInfo = { name: "ann", uid: "", groups: ["g"], extra: {} };
let ids = 0;
const newId = (): string => `id-${++ids}`;

transportSuite({
  name: "within the process",
  async start(serve) {
    return {
      transport: createLocalTransport({ serve: (exchange) => void serve(served(exchange)), newId }, ann),
      close: async () => {},
    };
  },
});

function served({ request, response }: Exchange): Served {
  const { method, target } = request;
  return {
    method,
    target,
    header: (name) => request.header(name),
    body: () => request.body(1_000_000),
    send: (code, headers, body) => response.send(code, list(headers), body),
    begin: (code) => response.stream(code, []),
    onClose: (run) => response.onClose(run),
  };
}

function list(headers: Readonly<Record<string, string>>): HeaderList {
  return Object.entries(headers).flat();
}

test("a client in the process is whom it was made as, whatever its headers say", async () => {
  const came: unknown[] = [];
  const transport = createLocalTransport(
    {
      serve({ request, response }) {
        came.push(request.peer.user, request.peer.certificate, request.peer.address);
        response.send(200, [], "");
      },
      newId,
    },
    ann,
  );
  await transport.send({
    method: "GET",
    target: "/",
    headers: { authorization: "Bearer other", "x-remote-user": "eve" },
  });
  assert.deepEqual(came, [ann, undefined, "127.0.0.1"]);
});

test("requests are served in turns of their own, so that others are not kept waiting", async () => {
  const order: string[] = [];
  const transport = createLocalTransport(
    {
      serve({ request, response }) {
        order.push(request.target);
        response.send(200, [], "");
      },
      newId,
    },
    ann,
  );
  const asked = (async () => {
    for (const target of ["/1", "/2", "/3"]) await transport.send({ method: "GET", target, headers: {} });
  })();
  setImmediate(() => order.push("other"));
  await asked;
  assert.deepEqual(order, ["/1", "other", "/2", "/3"]);
});
