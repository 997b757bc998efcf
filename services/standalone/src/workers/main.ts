import { isOrder, type Report } from "./messages.js";
import { startWorker, type Worker } from "./worker.js";

if (process.send === undefined) {
  process.stderr.write("this program is started by orch --gateway-workers\n");
  process.exit(2);
}
// The main process may have ended just now; then this one does too.
const tell = (report: Report): void => void process.send?.(report, undefined, undefined, () => {});

let worker: Worker | undefined;
process.on("message", (order: unknown) => {
  if (!isOrder(order)) return;
  if (order.type === "settings") worker = startWorker(order.settings, tell);
  else worker?.take(order);
});
tell({ type: "hello" });
