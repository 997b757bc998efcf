import { Socket } from "node:net";
import { isOrder, type Report } from "./messages.js";
import { startWorker, type Worker } from "./worker.js";

if (process.send === undefined) {
  process.stderr.write("this program is started by orch --gateway-workers\n");
  process.exit(2);
}
// What it works for is gone with the main process, which may have ended just now.
process.once("disconnect", () => process.exit(0));
if (!process.connected) process.exit(0);
const tell = (report: Report): void => void process.send?.(report, undefined, undefined, () => {});

let worker: Promise<Worker> | undefined;
process.on("message", (order: unknown, handle: unknown) => {
  if (!isOrder(order)) return;
  const { argv, env: environment } = process;
  if (order.type === "settings") worker = startWorker(order.settings, { tell, environment, argv });
  else void worker?.then((running) => running.take(order, handle instanceof Socket ? handle : undefined));
});
tell({ type: "hello" });
