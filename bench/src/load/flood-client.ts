import { httpRequest, runLoad } from "./load.js";

// The one who lists, in a process of its own: as fast as is answered, until it is ended. Refusals are answers too.
const [host = "", port = "", token = "", path = "", connections = "1"] = process.argv.slice(2);
const endpoint = { host, port: Number(port), token };
const request = httpRequest(endpoint, { method: "GET", path });
await runLoad(
  {
    endpoints: [endpoint],
    connections: Number(connections),
    warmupMs: 0,
    durationMs: 600_000,
    request: () => request,
    success: () => true,
  },
  () => process.stdout.write("flooding=yes\n"),
);
