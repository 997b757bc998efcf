import { connectFake } from "../testing/clients/fake.js";
import { visitHttp1 } from "../testing/clients/http1.js";
import { visitHttp2 } from "../testing/clients/http2.js";
import { connectLocal } from "../testing/clients/local.js";
import { connectTo } from "../testing/clients/server.js";
import { visitWebSocket } from "../testing/clients/websocket.js";
import { exchangeSuite } from "./exchange.suite.js";

const network = { streamCode: 200, address: "127.0.0.1", skips: {} };

exchangeSuite({
  ...network,
  name: "HTTP/1.1",
  connect: (serve) => connectTo(serve, (origin) => ({ visit: visitHttp1(origin) })),
});

exchangeSuite({ ...network, name: "HTTP/2", connect: (serve) => connectTo(serve, visitHttp2) });

const noBody = "the server refuses an upgrade with a body before it is served";
const upgrades = {
  "a body comes whole": noBody,
  "a body over its limit is refused, and the client is told": noBody,
  "a body that breaks off is an error": noBody,
};

exchangeSuite({
  ...network,
  name: "WebSocket",
  streamCode: 101,
  connect: (serve) => connectTo(serve, (origin) => ({ visit: visitWebSocket(origin) })),
  skips: {
    ...upgrades,
    "an answer to HEAD has no body, but its length": "the handshake of a WebSocket is a GET",
    "a stream has the headers of every answer": "the handshake of a WebSocket has headers of its own",
  },
});

exchangeSuite({
  ...network,
  name: "HTTP/1.1 that was asked to go on as something else",
  connect: (serve) =>
    connectTo(serve, (origin) => ({ visit: visitHttp1(origin, { connection: "Upgrade", upgrade: "other" }) })),
  skips: { ...upgrades, "a stream that is cut is seen to be": "its body ends with its connection, however that ends" },
});

exchangeSuite({
  name: "a client in this process",
  streamCode: 200,
  address: "127.0.0.1",
  connect: async (serve) => connectLocal(serve),
  skips: {
    "a body that breaks off is an error": "a body within the process is whole",
    "an answer to HEAD has no body, but its length": "clients in this process ask for none",
  },
});

const noNetwork = "nothing breaks and nobody is behind where there is no network";
exchangeSuite({
  name: "nothing, in tests of the stages",
  streamCode: 200,
  address: "",
  connect: async (serve) => connectFake(serve),
  skips: {
    "a body that breaks off is an error": noNetwork,
    "a client that does not read holds the sender back until it does": noNetwork,
    "an answer to HEAD has no body, but its length": "the stages do not know of it: the protocols leave the body out",
  },
});
