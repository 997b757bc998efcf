import { randomBytes, randomUUID } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { loadCatalog } from "@orch/api/catalog.js";
import { createThreadCatalogs } from "@orch/api/custom/thread-catalogs.js";
import { createNotEnforced } from "@orch/api/not-enforced.js";
import { createNegotiator, customOffers, objectOffers } from "@orch/codec/negotiate.js";
import { createNaming } from "@orch/naming/naming.js";
import { printLarge } from "@orch/render/large-print.js";
import { createRenderers } from "@orch/render/renderers.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { bufferOf, ownBytes } from "@orch/rpc/thread/messages.js";
import { type Ask, serveJobs } from "@orch/rpc/thread/serve-jobs.js";
import { unknownPath } from "@orch/status/api-error.js";
import { createTokenKey } from "@orch/store/token-key.js";
import { createAdmission } from "../admission/admission.js";
import type { Buckets } from "../admission/event-rate-limit/buckets.js";
import { admissionPlugins } from "../admission/plugins.js";
import { toldPlugins } from "../explain/told-plugins.js";
import { type Mirrored, mirrorsOf } from "../mirror.js";
import { performWrite } from "../service.js";
import type { WriteDeps } from "../write/write.js";
import { asking } from "./asking-store.js";
import type { Answer, Job, Question, Result, ThreadSettings } from "./messages.js";
import { farSpan, type SpanStep } from "./span-steps.js";

// The thread of large writes: the steps of a write as the main thread makes them, with what only the main thread has asked for.
const settings: ThreadSettings = workerData;
if (parentPort === null) throw new TypeError("this is a thread's program");

const naming = createNaming(settings.dialect, { storePrefix: settings.storePrefix });
const catalog = loadCatalog(naming, settings);
const catalogs = createThreadCatalogs(catalog);
const renderers = createRenderers(catalog, naming.metaGroup);
const offers = objectOffers(naming, settings);
const shared = {
  naming,
  renderers,
  formats: createNegotiator(offers),
  customFormats: createNegotiator(customOffers(offers)),
  notEnforced: createNotEnforced(naming, settings),
  // Kinds that a webhook converts are written in the main thread.
  convert: () => Promise.reject(new TypeError("a thread asks no webhook")),
  features: settings.features,
  cbor: settings.cbor,
  history: settings.history,
  largestHere: Number.POSITIVE_INFINITY,
  recent: () => undefined,
  noteTree: () => {},
  now: () => Date.now(),
  newUid: randomUUID,
  random: Math.random,
};
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The plugins, with what the main thread's mirrors held when the write began. */
function admissionWith(mirrored: Mirrored, buckets: Buckets): Pick<WriteDeps, "admission" | "explainedAdmission"> {
  const mirrorOf = mirrorsOf(mirrored);
  const plugins = admissionPlugins({ naming, catalog, ...settings.admission, pause, buckets, mirrorOf });
  return { admission: createAdmission(plugins), explainedAdmission: createAdmission(toldPlugins(plugins)) };
}

type WriteJob = Extract<Job, { readonly type: "write" }>;

function write(
  { id, request, mirrored, definition, staging, trace }: WriteJob,
  ask: Ask<Question, Answer>,
): Promise<WriteReply> {
  const known = catalogs(definition);
  const requested = known.find(request.group, request.version, request.resource);
  if (requested === undefined) throw unknownPath();
  const world = asking(ask, id);
  const tokenKey = createTokenKey({ store: world.store, storePrefix: naming.storePrefix, random: randomBytes });
  const allocations = { ...world.allocations, families: settings.ipFamilies };
  const deps = {
    ...shared,
    ...world,
    catalog: known,
    allocations,
    tokenKey,
    ...admissionWith(mirrored, world.buckets),
  };
  const own = { ...request, body: bufferOf(request.body) };
  // Nobody waits for what is told; a thread that ends has nothing more to tell.
  const tell = (step: SpanStep): void => void ask({ type: "span", write: id, step }).catch(() => {});
  const span = trace && farSpan(trace, { tell, now: () => performance.timeOrigin + performance.now() });
  return performWrite({ deps, kind: requested.hub, requested, request: own, span, staging }, undefined);
}

serveJobs<Job, Result, Question, Answer>(parentPort, async (job, ask) => {
  if (job.type === "print") return { type: "bytes", bytes: ownBytes(printLarge(job.print, { catalogs, renderers })) };
  const reply = await write(job, ask);
  return { type: "reply", reply: { ...reply, body: bufferOf(ownBytes(reply.body)) } };
});
