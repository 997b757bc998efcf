import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "./grpc-client.js";
import { createGrpcServer, type ListenAt } from "./grpc-server.js";
import { type Pair, transportSuite, until } from "./transport.suite.js";

const window = 64 * 1024;

async function open(at: ListenAt, done: () => Promise<void> = async () => {}): Promise<Pair> {
  const server = createGrpcServer(at);
  const port = await server.listen();
  const caller = connect({ target: "path" in at ? `unix:${at.path}` : `${at.host}:${port}`, window });
  await until(() => caller.ready);
  return {
    services: server.services,
    caller,
    window,
    close: async () => {
      await caller.close();
      await server.close(0);
      await done();
    },
  };
}

transportSuite("grpc", () => open({ host: "127.0.0.1", port: 0 }));

transportSuite("grpc over a Unix domain socket", async () => {
  // What would be taken apart in another target: commas, colons, spaces.
  const folder = await mkdtemp(join(tmpdir(), "rpc a,b:1 "));
  return open({ path: join(folder, "s.sock") }, () => rm(folder, { recursive: true }));
});
