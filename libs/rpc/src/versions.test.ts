import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { connect } from "./link/grpc-client.js";
import { createGrpcServer } from "./link/grpc-server.js";
import type { Caller } from "./rpc.js";
import { echo, text, until } from "./transport.suite.js";

/** A server of a version that answers with its name; its port. */
async function serving(t: TestContext, version: number, name: string): Promise<number> {
  const server = createGrpcServer({ host: "127.0.0.1", port: 0, version });
  server.services.unary(echo, () => text(name));
  const port = await server.listen();
  t.after(() => server.close(0));
  return port;
}

function calling(t: TestContext, version: number, ports: readonly number[]): Caller & { readonly said: () => string } {
  const lines: string[] = [];
  const note = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const target = ports.map((port) => `127.0.0.1:${port}`).join(",");
  const log = { info: note, warn: note, error: note };
  const caller = connect({ target, version, log, waitForPeerMs: 300 });
  t.after(() => caller.close());
  return Object.assign(caller, { said: () => lines.join("\n") });
}

const ask = async (caller: Caller): Promise<string> => (await caller.call(echo, text(""))).body.toString();

describe("versions of the protocol", () => {
  const rows: ReadonlyArray<readonly [client: number, server: number, speak: boolean]> = [
    [1, 1, true],
    [1, 2, true],
    [2, 1, true],
    [3, 2, true],
    [1, 3, false],
    [3, 1, false],
  ];
  for (const [client, server, speak] of rows) {
    test(`a client of version ${client} and a server of version ${server} ${speak ? "speak" : "part with a reason"}`, async (t) => {
      const caller = calling(t, client, [await serving(t, server, "served")]);
      if (speak) assert.equal(await ask(caller), "served");
      else {
        await assert.rejects(ask(caller), { reason: "ServiceUnavailable" });
        assert.match(
          caller.said(),
          new RegExp(`version ${client} of the protocol is not spoken here, but version ${server}`),
        );
      }
    });
  }

  test("old and new servers beside each other both serve old and new clients", async (t) => {
    const old = await serving(t, 1, "old");
    const servers = [old, await serving(t, 2, "new")];
    for (const client of [1, 2]) {
      const caller = calling(t, client, servers);
      await until(() => caller.said().split("connected to a peer").length > 4);
      const answers = new Set<string>();
      // The calls of one turn go to one peer.
      for (let i = 0; i < 200 && answers.size < 2; i++) {
        const [first = "", second = ""] = await Promise.all([ask(caller), nextTurn().then(() => ask(caller))]);
        answers.add(first).add(second);
      }
      assert.deepEqual([...answers].sort(), ["new", "old"]);
    }
  });
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
