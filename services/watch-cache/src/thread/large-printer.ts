import { Worker } from "node:worker_threads";
import type { Dialect } from "@orch/naming/naming.js";
import type { LargePrint } from "@orch/render/large-print.js";
import type { RpcLog } from "@orch/rpc/log.js";
import { createJobThread } from "@orch/rpc/thread/job-thread.js";
import { bufferOf, ownBytes } from "@orch/rpc/thread/messages.js";

/** What the thread's catalog is made of. */
export interface PrinterSettings {
  readonly dialect: Dialect;
  readonly release: string;
}

/** Makes an answer of a large object where it holds no event loop. @throws ApiError where it cannot */
export type PrintElsewhere = (print: LargePrint) => Promise<Buffer>;

const maxHeapMb = 1024;

/** A thread for a watch cache that has a process of its own; standalone has one for writes, too. */
export function createLargePrinter(settings: PrinterSettings, log: RpcLog): PrintElsewhere {
  const thread = createJobThread<LargePrint, Uint8Array, never, never>({
    start() {
      const worker = new Worker(new URL("./main.js", import.meta.url), {
        name: "large-answers",
        workerData: settings,
        resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      });
      // A process that stops does not wait for it.
      worker.unref();
      return worker;
    },
    answer: () => Promise.reject(new TypeError("a print asks nothing")),
    log,
  });
  return async (print) => {
    const bytes = ownBytes(print.bytes);
    const options = { owner: "", bytes: bytes.length, transfer: [bytes.buffer] };
    return bufferOf(await thread.run({ ...print, bytes }, options));
  };
}
