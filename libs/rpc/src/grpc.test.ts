import { connect } from "./grpc-client.js";
import { createGrpcServer } from "./grpc-server.js";
import { transportSuite, until } from "./transport.suite.js";

transportSuite("grpc", async () => {
  const window = 64 * 1024;
  const server = createGrpcServer({ host: "127.0.0.1", port: 0 });
  const port = await server.listen();
  const caller = connect({ target: `127.0.0.1:${port}`, window });
  await until(() => caller.ready);
  return {
    services: server.services,
    caller,
    window,
    close: async () => {
      await caller.close();
      await server.close(0);
    },
  };
});
