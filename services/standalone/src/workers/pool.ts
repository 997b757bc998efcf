import type { Socket } from "node:net";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { joinFamilies, lastingFamilies } from "@orch/runtime/metric-join.js";
import { type Family, pageText } from "@orch/runtime/metric-text.js";
import type { Child, Fork } from "./fork.js";
import type { Order, Report, WorkerSettings } from "./messages.js";
import type { WorkerMetrics } from "./metrics.js";

export interface PoolOptions {
  readonly count: number;
  readonly settingsOf: (slot: number) => WorkerSettings;
  readonly fork: Fork;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: WorkerMetrics;
  /** The metrics of this process. */
  readonly ownFamilies: () => Promise<readonly Family[]>;
  /** Milliseconds that a worker may take to stop before it is killed. */
  readonly stopWithinMs: number;
}

/** Worker processes, each of which is started again when it ends. */
export interface Pool {
  /** Settles when all of them serve. @throws Error when one ends before */
  start(): Promise<void>;
  /**
   * Gives a connection, of which nothing was read, to the next worker that is not busy. It waits while none serves, and goes to
   * another one where a worker ends before it has it.
   */
  deal(socket: Socket): void;
  /** How many have been ready. */
  readonly ready: number;
  /** Their readiness falls. */
  shutDown(): void;
  /** Settles when none is left. */
  stop(): Promise<void>;
}

const firstBackoffMs = 50;
const maxBackoffMs = 5_000;
/** Who has run so long does not fail at its start: what comes next is a first failure again. */
const soundAfterMs = 30_000;
/** How long a scrape waits for a worker; then it shows what that one said last. */
const scrapeMs = 1_000;
/** Connections that wait for a worker; more are closed. */
const maxWaiting = 1_024;

export function createPool(options: PoolOptions): Pool {
  const { count, log } = options;
  const waiting: Socket[] = [];
  let turn = 0;
  let stopping = false;
  // What workers counted that have ended: none of it may go from the page.
  let lasting: readonly Family[] = [];
  let leaving = false;
  const page = async (): Promise<string> => {
    const [own] = await Promise.all([options.ownFamilies(), ...slots.map((slot) => slot.scrape())]);
    return pageText(joinFamilies([own, lasting, ...slots.map((slot) => slot.families)]));
  };
  const slots = Array.from({ length: count }, (_, index) =>
    createSlot(index, options, {
      page: () => page(),
      isLeaving: () => leaving,
      retired: (families) => {
        lasting = joinFamilies([lasting, lastingFamilies(families)]);
      },
      deal: (socket) => deal(socket),
      serves: () => {
        for (const socket of waiting.splice(0)) deal(socket);
      },
    }),
  );
  const deal = (socket: Socket): void => {
    const at = turn++;
    let best: Slot | undefined;
    for (let i = 0; i < count; i++) {
      const slot = slots[(at + i) % count];
      // A worker that has not taken those before is busy: others go first.
      if (slot?.takes === true && (best === undefined || slot.underWay < best.underWay)) best = slot;
    }
    if (best !== undefined) best.handOver(socket);
    else if (stopping || waiting.length >= maxWaiting) socket.destroy();
    else waiting.push(socket);
  };
  return {
    async start() {
      await Promise.all(slots.map((slot) => slot.start()));
      log.info({ workers: count }, "gateway workers serve");
    },
    deal,
    get ready() {
      return slots.filter((slot) => slot.phase === "ready").length;
    },
    shutDown() {
      leaving = true;
      for (const slot of slots) slot.tell({ type: "shutDown" });
    },
    async stop() {
      stopping = true;
      for (const socket of waiting.splice(0)) socket.destroy();
      await Promise.all(slots.map((slot) => slot.stop()));
    },
  };
}

interface SlotDeps {
  readonly page: () => Promise<string>;
  readonly isLeaving: () => boolean;
  /** Takes what a worker that has ended said last. */
  readonly retired: (families: readonly Family[]) => void;
  /** Takes back a connection that no worker has. */
  readonly deal: (socket: Socket) => void;
  /** Called when a worker begins to take connections. */
  readonly serves: () => void;
}

/** The place of one worker at a time. */
interface Slot {
  readonly phase: "starting" | "serving" | "ready" | "ended";
  /** What its worker said last. */
  readonly families: readonly Family[];
  start(): Promise<void>;
  /** Whether there is a worker for {@link handOver}. */
  readonly takes: boolean;
  /** Connections that its worker has been given and not yet taken. */
  readonly underWay: number;
  handOver(socket: Socket): void;
  tell(order: Order): void;
  /** Asks for {@link families} anew; settles when they have come, or will not. */
  scrape(): Promise<void>;
  stop(): Promise<void>;
}

function createSlot(index: number, options: PoolOptions, deps: SlotDeps): Slot {
  const { clock, log, metrics } = options;
  let child: Child | undefined;
  let phase: Slot["phase"] = "ended";
  let families: readonly Family[] = [];
  let failures = 0;
  let begun = 0;
  let stopping = false;
  let lastId = 0;
  let cancelRestart = (): void => {};
  let gone = (): void => {};
  let first: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  const scrapes = new Map<number, () => void>();
  const underWay = new Map<number, Socket>();

  const take = (report: Report): void => {
    if (report.type === "hello") {
      child?.send({ type: "settings", settings: options.settingsOf(index) });
      if (deps.isLeaving()) child?.send({ type: "shutDown" });
    } else if (report.type === "serving") {
      phase = "serving";
      metrics.serving.add(1);
      first?.resolve();
      first = undefined;
      deps.serves();
    } else if (report.type === "taken") {
      underWay.get(report.id)?.destroy();
      underWay.delete(report.id);
    } else if (report.type === "ready") phase = "ready";
    else if (report.type === "families") {
      families = report.families;
      scrapes.get(report.id)?.();
    } else answerPage(report.id, child);
  };
  const answerPage = (id: number, asker: Child | undefined): void => {
    void deps.page().then((text) => asker?.send({ type: "page", id, text }));
  };
  const ended = (how: string): void => {
    if (phase !== "starting") metrics.serving.add(-1);
    phase = "ended";
    const pid = child?.pid;
    child = undefined;
    deps.retired(families);
    families = [];
    for (const done of [...scrapes.values()]) done();
    const orphans = [...underWay.values()];
    underWay.clear();
    for (const socket of orphans) deps.deal(socket);
    if (stopping) gone();
    else if (first !== undefined) first.reject(new Error(`gateway worker ${index} ended (${how}) before it served`));
    else restartLater({ worker: index, pid, how });
  };
  const restartLater = (what: object): void => {
    if (clock.monotonic() - begun > soundAfterMs) failures = 0;
    const inMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** failures++);
    log.warn({ ...what, inMs }, "a gateway worker ended and is started again");
    cancelRestart = clock.after(inMs, () => {
      metrics.restarts.inc();
      begin();
    });
  };
  const begin = (): void => {
    phase = "starting";
    begun = clock.monotonic();
    child = options.fork({ take, ended });
  };

  return {
    get phase() {
      return phase;
    },
    get families() {
      return families;
    },
    start: () =>
      new Promise((resolve, reject) => {
        first = { resolve, reject };
        begin();
      }),
    get takes() {
      return child !== undefined && phase !== "starting" && !stopping;
    },
    get underWay() {
      return underWay.size;
    },
    handOver(socket) {
      const id = ++lastId;
      underWay.set(id, socket);
      child?.send({ type: "connection", id }, socket);
    },
    tell: (order) => child?.send(order),
    scrape: () =>
      new Promise((resolve) => {
        if (child === undefined || phase === "starting") {
          resolve();
          return;
        }
        const id = ++lastId;
        const done = (): void => {
          scrapes.delete(id);
          cancel();
          resolve();
        };
        const cancel = clock.after(scrapeMs, done);
        scrapes.set(id, done);
        child.send({ type: "families", id });
      }),
    stop: () =>
      new Promise((resolve) => {
        stopping = true;
        cancelRestart();
        const running = child;
        if (running === undefined) {
          resolve();
          return;
        }
        const cancel = clock.after(options.stopWithinMs, () => {
          log.error({ worker: index, pid: running.pid }, "a gateway worker took too long to stop and is killed");
          running.kill();
        });
        gone = () => {
          cancel();
          resolve();
        };
        // One that has not begun to serve has nothing to finish.
        if (phase === "starting") running.kill();
        else running.send({ type: "stop" });
      }),
  };
}
