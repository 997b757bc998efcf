import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { StoreUnreachable } from "../unreachable.js";
import { createConnections } from "./connections.js";

/** Members that end each connection at once, and how many there were. */
async function refusing(t: TestContext, members: number) {
  let attempts = 0;
  const endpoints: string[] = [];
  for (let i = 0; i < members; i++) {
    const server = createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    endpoints.push(`http://127.0.0.1:${address.port}`);
  }
  return { endpoints, attempts: () => attempts };
}

for (const members of [1, 3]) {
  test(`members that refuse at once are tried a few times a second, however many wait: ${members}`, async (t) => {
    const { endpoints, attempts } = await refusing(t, members);
    const connections = createConnections(endpoints, {});
    t.after(() => connections.close());
    const all = Array.from({ length: 50 }, () => assert.rejects(connections.ready(1_000), StoreUnreachable));
    await Promise.all(all);
    // Rounds at 0, 20, 60, 140, 300, 550, 800 and 1,050 ms.
    assert.ok(attempts() >= members, String(attempts()));
    assert.ok(attempts() <= members * 10, String(attempts()));
  });
}
