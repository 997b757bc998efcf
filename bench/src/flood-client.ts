import { httpRequest, runLoad } from "./load.js";

// The one who floods, in a process of its own: lists as fast as they are answered, until it is ended. Codes that are
// refusals count as answers, after the pause that they ask for.
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
