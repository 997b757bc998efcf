import { parentPort, workerData } from "node:worker_threads";
import { loadCatalog } from "@orch/api/catalog.js";
import { createThreadCatalogs } from "@orch/api/custom/thread-catalogs.js";
import { createNaming } from "@orch/naming/naming.js";
import { type LargePrint, printLarge } from "@orch/render/large-print.js";
import { createRenderers } from "@orch/render/renderers.js";
import { ownBytes } from "@orch/rpc/thread/messages.js";
import { serveJobs } from "@orch/rpc/thread/serve-jobs.js";
import type { PrinterSettings } from "./large-printer.js";

// The thread that makes answers of large objects in other forms than their stored one.
const settings: PrinterSettings = workerData;
if (parentPort === null) throw new TypeError("this is a thread's program");
const naming = createNaming(settings.dialect);
const catalog = loadCatalog(naming, settings);
const catalogs = createThreadCatalogs(catalog);
const renderers = createRenderers(catalog, naming.metaGroup);
serveJobs<LargePrint, Uint8Array, never, never>(parentPort, (print) =>
  ownBytes(printLarge(print, { catalogs, renderers })),
);
