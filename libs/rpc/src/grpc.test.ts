import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { grpcPair } from "./grpc-pair.suite.js";
import { createGrpcServer } from "./link/grpc-server.js";
import { joinAny } from "./testing/fake-span.js";
import { transportSuite } from "./transport.suite.js";

transportSuite("grpc", () =>
  grpcPair(createGrpcServer({ host: "127.0.0.1", port: 0, joinTrace: joinAny }), (port) => ({
    target: `127.0.0.1:${port}`,
  })),
);

transportSuite("grpc over a Unix domain socket", async () => {
  // What would be taken apart in another target: commas, colons, spaces.
  const folder = await mkdtemp(join(tmpdir(), "rpc a,b:1 "));
  const path = join(folder, "s.sock");
  const pair = await grpcPair(createGrpcServer({ path, joinTrace: joinAny }), () => ({ target: `unix:${path}` }));
  return { ...pair, close: () => pair.close().then(() => rm(folder, { recursive: true })) };
});
