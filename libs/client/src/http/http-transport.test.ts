import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { testCertificate, testKey } from "../testing/test-certificate.js";
import { type Served, type ServeWith, transportSuite } from "../testing/transport.suite.js";
import { createHttpTransport } from "./http-transport.js";

for (const multiplexed of [false, true]) {
  transportSuite({
    name: multiplexed ? "HTTPS, streams on HTTP/2" : "HTTPS",
    async start(serve) {
      const { url, close } = await startServer(serve);
      const config = { server: url, namespace: "default", ca: testCertificate, insecureSkipTlsVerify: false };
      return { transport: createHttpTransport(config, { multiplexed }), close };
    },
  });
}

async function startServer(serve: ServeWith) {
  const sockets = new Set<Socket>();
  const server = createSecureServer({ cert: testCertificate, key: testKey, allowHTTP1: true }, (request, response) => {
    void serve(served(request, response));
  }).listen(0, "127.0.0.1");
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return {
    url: `https://127.0.0.1:${address.port}`,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

function served(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): Served {
  return {
    method: request.method ?? "",
    target: request.url ?? "",
    header: (name) => request.headers[name]?.toString(),
    async body() {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(Buffer.from(part));
      return Buffer.concat(parts);
    },
    send(code, headers, body) {
      response.writeHead(code, headers);
      response.end(body);
    },
    begin(code) {
      response.writeHead(code);
      const out: Writable = "stream" in response ? response.stream : response;
      if ("flushHeaders" in response) response.flushHeaders();
      return {
        write: (part) => out.write(part),
        onDrain: (run) => void out.once("drain", run),
        end: () => void response.end(),
        cut: () =>
          void ("stream" in response ? response.stream.close(constants.NGHTTP2_INTERNAL_ERROR) : out.destroy()),
      };
    },
    onClose: (run) => void response.once("close", run),
  };
}
