import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

// The floor: a bare node:https server. GET /bytes/<n> answers n bytes, as prepared; GET /watch opens a chunked
// stream; POST /event writes one prepared event to every stream. It parses and checks nothing.
const [key = "", cert = ""] = process.argv.slice(2);
const bodies = new Map<number, Buffer>();
const streams = new Set<ServerResponse>();

function prepared(size: number): Buffer {
  const known = bodies.get(size);
  if (known !== undefined) return known;
  const made = Buffer.alloc(size, "x");
  bodies.set(size, made);
  return made;
}

const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
  const [, what = "", argument = ""] = (request.url ?? "").split("/");
  if (what === "bytes") {
    const body = prepared(Number(argument));
    response.writeHead(200, ["Content-Type", "application/json", "Content-Length", String(body.length)]);
    response.end(body);
  } else if (what === "watch") {
    response.writeHead(200, ["Content-Type", "application/json"]);
    response.flushHeaders();
    streams.add(response);
    response.on("close", () => streams.delete(response));
  } else {
    const event = prepared(Number(argument));
    event[event.length - 1] = 0x0a;
    for (const stream of streams) stream.write(event);
    request.resume();
    response.writeHead(200, ["Content-Length", "0"]).end();
  }
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  process.stdout.write(`https=127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on("SIGTERM", () => process.exit(0));
