import { type Endpoint, httpRequest, open } from "../load/load.js";
import { createResponseReader } from "../load/response-reader.js";

// Another client, in a process of its own: a get every few milliseconds until it is told to end; then what each took.
const [host = "", port = "", token = "", path = "", everyMs = "10"] = process.argv.slice(2);
const endpoint: Endpoint = { host, port: Number(port), token };
const request = httpRequest(endpoint, { method: "GET", path });
const took: number[] = [];
let failures = 0;
let running = true;

async function probe(): Promise<void> {
  const socket = await open(endpoint);
  let settle: (code: number) => void = () => {};
  const reader = createResponseReader(({ code }) => settle(code));
  socket.on("data", (data) => reader.push(data));
  socket.on("close", () => settle(0));
  while (running) {
    const began = performance.now();
    const answered = new Promise<number>((resolve) => {
      settle = resolve;
    });
    socket.write(request);
    const code = await answered;
    took.push(performance.now() - began);
    if (code !== 200) failures += 1;
    if (code === 0) return;
    await new Promise((resolve) => setTimeout(resolve, Number(everyMs)));
  }
  socket.destroy();
}

process.once("SIGTERM", () => {
  running = false;
});
process.stdout.write("probing=yes\n");
await probe();
process.stdout.write(`${JSON.stringify({ took, failures })}\n`);
