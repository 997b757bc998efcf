import type { Kind } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { LargePrint } from "@orch/render/large-print.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import type { ServerCall } from "@orch/rpc/rpc.js";
import { createJobThread, type ThreadCounts, type ThreadLimits } from "@orch/rpc/thread/job-thread.js";
import { bufferOf, ownBytes } from "@orch/rpc/thread/messages.js";
import { ApiError, outcomeUnknown } from "@orch/status/api-error.js";
import type { SpanContext } from "@orch/status/span.js";
import type { Entry, Store } from "@orch/store/store.js";
import type { Buckets } from "../admission/event-rate-limit/buckets.js";
import type { Taken } from "../allocation/allocations.js";
import type { Mirrored } from "../mirror.js";
import { builtIn, type Write, type WriteDeps } from "../write/write.js";
import type { Answer, Job, Question, Result, ThreadSettings } from "./messages.js";
import { type NearSpan, nearSpan } from "./span-steps.js";
import { startThread } from "./start.js";

/** Bytes of a body, or of the state that is changed, from which on a write goes to the thread: 4 to 10 ms of work. */
export const largeBytes = 96 << 10;

export interface LargeWrites {
  write(write: Pick<Write, "request" | "requested" | "staging" | "deps">, call: ServerCall): Promise<WriteReply>;
  /** For this process's other services: an answer that takes long to write. */
  print(print: LargePrint): Promise<Buffer>;
  close(): Promise<void>;
  readonly counts: ThreadCounts;
}

export interface LargeWritesOptions {
  readonly deps: Pick<
    WriteDeps,
    "store" | "namespaces" | "permissions" | "allocations" | "catalog" | "features" | "cbor" | "history"
  >;
  readonly naming: Naming;
  readonly runtimeConfig: readonly string[];
  readonly admission: ThreadSettings["admission"];
  readonly buckets: Buckets;
  readonly rangesAreObjects: boolean;
  /** What admission's mirrors hold for writes of a namespace. */
  readonly mirrored: (namespace: string) => Mirrored;
  readonly log: (what: string, error: unknown) => void;
  readonly limits?: Partial<ThreadLimits>;
}

/**
 * Writes whose steps take long, in a thread of their own (docs/performance.md, "Large bodies"). The thread has the
 * catalog and the rules; the store, the namespaces and who may do what it asks for here. Nothing it has seen is trusted
 * for longer than a write's own steps trust it: every state that it stores names the revision that it follows.
 */
export function createLargeWrites(options: LargeWritesOptions): LargeWrites {
  const { deps, naming, log } = options;
  /** Of writes under way, those whose new state was given to the store. */
  const sent = new Set<number>();
  /** The numbers of services that writes under way were given. */
  const taken = new Map<number, Taken>();
  /** Of writes under way that are stored together with others: where theirs waits. */
  const staged = new Map<number, Store>();
  /** Of writes under way that are traced. */
  const spans = new Map<number, NearSpan>();
  let lastId = 0;
  const settings: ThreadSettings = {
    dialect: naming.dialect,
    storePrefix: naming.storePrefix,
    release: deps.catalog.release,
    runtimeConfig: options.runtimeConfig,
    cbor: deps.cbor,
    admission: options.admission,
    ipFamilies: deps.allocations.families,
    rangesAreObjects: options.rangesAreObjects,
    features: deps.features,
    history: deps.history,
  };
  const told = (fields: object, message: string): void => log(message, "err" in fields ? fields.err : fields);
  const thread = createJobThread<Job, Result, Question, Answer>({
    start: () => startThread(settings),
    answer: (question) => answerTo(question, { deps, buckets: options.buckets, sent, taken, staged, spans }),
    waitsForOthers: (question) => question.type === "swap" && staged.has(question.write),
    log: { info: () => {}, warn: told, error: told },
    limits: options.limits ?? {},
  });
  return {
    async write({ request, requested, staging, deps: { store } }, call) {
      const id = ++lastId;
      if (staging !== undefined) staged.set(id, store);
      const body = ownBytes(request.body);
      const mirrored = options.mirrored(request.namespace);
      const definition = requested.definition?.();
      const trace = call.span && contextOf(call.span);
      if (call.span !== undefined) spans.set(id, nearSpan(call.span));
      const job: Job = {
        type: "write",
        id,
        request: { ...request, body: bufferOf(body) },
        mirrored,
        definition,
        staging: staging && { status: staging.status },
        trace,
      };
      try {
        const result = await thread.run(job, {
          owner: request.user.name,
          bytes: body.length,
          transfer: [body.buffer],
          onCancel: (cancel) => call.onCancel(cancel),
        });
        if (result.type !== "reply") throw new TypeError("a write that came to no reply");
        return { ...result.reply, body: bufferOf(result.reply.body) };
      } catch (error) {
        if (sent.has(id) && isLost(error)) throw outcomeUnknown(error);
        throw error;
      } finally {
        // Of a thread that ended between.
        await taken.get(id)?.settle(sent.has(id) ? "unknown" : "not stored");
        taken.delete(id);
        sent.delete(id);
        staged.delete(id);
        spans.get(id)?.end();
        spans.delete(id);
      }
    },
    async print(print) {
      const bytes = ownBytes(print.bytes);
      const job: Job = { type: "print", print: { ...print, bytes } };
      const result = await thread.run(job, { owner: "", bytes: bytes.length, transfer: [bytes.buffer] });
      if (result.type !== "bytes") throw new TypeError("a print that came to no bytes");
      return bufferOf(result.bytes);
    },
    close: () => thread.close(),
    get counts() {
      return thread.counts;
    },
  };
}

/** What can be sent to the thread. */
function contextOf({ traceparent, tracestate, auditId }: SpanContext): SpanContext {
  return { traceparent, tracestate, auditId };
}

/** The thread ended with the write; what the write itself is refused for is never this. */
function isLost(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "InternalError";
}

interface World {
  readonly deps: LargeWritesOptions["deps"];
  readonly buckets: Buckets;
  /** By the ids of writes. */
  readonly sent: Set<number>;
  readonly taken: Map<number, Taken>;
  readonly staged: ReadonlyMap<number, Store>;
  readonly spans: ReadonlyMap<number, NearSpan>;
}

async function answerTo(question: Question, { deps, buckets, sent, taken, staged, spans }: World): Promise<Answer> {
  const { store, namespaces, permissions, allocations } = deps;
  switch (question.type) {
    case "get": {
      const entry = await store.get(question.key);
      return { type: "entry", entry: entry === undefined ? undefined : toSend(entry) };
    }
    case "range": {
      const range = await store.range(question.query);
      return { type: "range", range: { ...range, entries: range.entries.map(toSend) } };
    }
    case "revision":
      return { type: "revision", revision: await store.revision(question.near) };
    case "swap": {
      const { value, note } = question.change;
      sent.add(question.write);
      const swap = await (staged.get(question.write) ?? store).swap({
        ...question.change,
        value: value && bufferOf(value),
        note: note && { ...note, value: bufferOf(note.value) },
      });
      return {
        type: "swap",
        swap: swap.done || swap.current === undefined ? swap : { ...swap, current: toSend(swap.current) },
      };
    }
    case "take": {
      const { write, service, old, dryRun } = question;
      const numbers = await allocations.take({
        kind: serviceKind(deps),
        subresource: "",
        object: service,
        old,
        dryRun,
      });
      if (numbers === undefined) throw new TypeError("a service that is given no numbers");
      taken.set(write, numbers);
      return { type: "taken", service: numbers.object };
    }
    case "settle": {
      const numbers = taken.get(question.write);
      taken.delete(question.write);
      await numbers?.settle(question.outcome);
      return { type: "settled" };
    }
    case "removed":
      await allocations.removed(serviceKind(deps), question.service);
      return { type: "settled" };
    case "admitCreate":
      await namespaces.admitCreate(question.namespace, question.object);
      return { type: "admitted" };
    case "authorize":
      return {
        type: "decision",
        decision: await permissions.authorizer.authorize(question.attributes, spans.get(question.write)?.span),
      };
    case "span":
      spans.get(question.write)?.take(question.step);
      return { type: "settled" };
    case "tokens":
      return { type: "tokens", taken: await buckets.take(question.questions) };
    case "rulesFor":
      return { type: "rules", rules: await permissions.rules.rulesFor(question.user, question.namespace) };
  }
}

function serviceKind(deps: Pick<WriteDeps, "catalog">): Kind {
  return builtIn({ deps }, "v1", "Service");
}

function toSend(entry: Entry): Entry {
  return { ...entry, value: bufferOf(ownBytes(entry.value)) };
}
