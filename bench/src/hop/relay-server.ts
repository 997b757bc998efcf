import { readFileSync } from "node:fs";
import { Agent, createServer, get } from "node:https";
import type { AddressInfo } from "node:net";

// The floor of a hop: what is asked here is asked there, and its bytes are passed on as they come.
const [keyFile = "", certFile = "", upstream = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (request, response) => {
  const asked = get(new URL(request.url ?? "/", upstream), { agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, [
      ...["Content-Type", "application/json"],
      ...["Content-Length", String(answer.headers["content-length"])],
    ]);
    answer.pipe(response);
  });
  asked.on("error", () => response.destroy());
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  process.stdout.write(`https=127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on("SIGTERM", () => process.exit(0));
