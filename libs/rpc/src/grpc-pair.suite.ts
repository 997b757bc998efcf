import { type ConnectOptions, connect } from "./link/grpc-client.js";
import type { GrpcServer } from "./link/grpc-server.js";
import { type Pair, until } from "./transport.suite.js";

const window = 64 * 1024;

/** A server that listens, and a caller that has reached it: where and how it connects follows from the port. */
export async function grpcPair(
  server: GrpcServer,
  connectTo: (port: number) => Pick<ConnectOptions, "target" | "security">,
): Promise<Pair> {
  const caller = connect({ ...connectTo(await server.listen()), window });
  await until(() => caller.ready);
  return {
    services: server.services,
    caller,
    window,
    async close() {
      await caller.close();
      await server.close(0);
    },
  };
}
