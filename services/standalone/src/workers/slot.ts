import type { Socket } from "node:net";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Family } from "@orch/runtime/metric/metric-text.js";
import type { Child, Fork } from "./fork.js";
import type { Order, Report, WorkerSettings } from "./messages.js";
import type { WorkerMetrics } from "./metrics.js";

export interface SlotOptions {
  readonly settingsOf: (slot: number) => WorkerSettings;
  readonly fork: Fork;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: WorkerMetrics;
  /** Milliseconds that a worker may take to stop before it is killed. */
  readonly stopWithinMs: number;
}

/** What a slot asks of its pool. */
export interface SlotDeps {
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
export interface Slot {
  readonly phase: "starting" | "serving" | "ready" | "ended";
  /** What its worker said last. */
  readonly families: readonly Family[];
  /** Settles when its first worker serves. @throws Error when that one ends before */
  start(): Promise<void>;
  /** Whether there is a worker for {@link handOver}. */
  readonly takes: boolean;
  /** Connections that its worker has been given and not yet taken. */
  readonly underWay: number;
  handOver(socket: Socket): void;
  tell(order: Order): void;
  /** Asks for {@link families} anew; settles when they have come, or will not. */
  scrape(): Promise<void>;
  /** Settles when its worker has answered what came on its connections, or has none. */
  drain(): Promise<void>;
  /** Settles when it has no worker any more. */
  stop(): Promise<void>;
}

const firstBackoffMs = 50;
const maxBackoffMs = 5_000;
/** Who has run so long does not fail at its start: what comes next is a first failure again. */
const soundAfterMs = 30_000;
/** How long a scrape waits for a worker; then it shows what that one said last. */
const scrapeMs = 1_000;

export function createSlot(index: number, options: SlotOptions, deps: SlotDeps): Slot {
  const { clock, log, metrics } = options;
  let child: Child | undefined;
  let phase: Slot["phase"] = "ended";
  let families: readonly Family[] = [];
  let stopping = false;
  let cancelRestart = (): void => {};
  let gone = (): void => {};
  let drained = (): void => {};
  let first: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  const connections = createHandOvers();
  const scrapes = createScrapes(clock);
  const backoff = createBackoff(clock);

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
    } else if (report.type === "ready") phase = "ready";
    else if (report.type === "drained") drained();
    else if (report.type === "taken") connections.taken(report.id);
    else if (report.type === "families") {
      families = report.families;
      scrapes.answered(report.id);
    } else answerPage(report.id, child);
  };
  const answerPage = (id: number, asker: Child | undefined): void => {
    void deps.page().then((text) => asker?.send({ type: "page", id, text }));
  };
  const ended = (how: string): void => {
    if (phase === "serving" || phase === "ready") metrics.serving.add(-1);
    phase = "ended";
    const pid = child?.pid;
    child = undefined;
    drained();
    deps.retired(families);
    families = [];
    scrapes.giveUp();
    for (const socket of connections.takeBack()) deps.deal(socket);
    if (stopping) gone();
    else if (first !== undefined) first.reject(new Error(`gateway worker ${index} ended (${how}) before it served`));
    else restartLater({ worker: index, pid, how });
  };
  const restartLater = (what: object): void => {
    const inMs = backoff.next();
    log.warn({ ...what, inMs }, "a gateway worker ended and is started again");
    cancelRestart = clock.after(inMs, () => {
      metrics.restarts.inc();
      begin();
    });
  };
  const begin = (): void => {
    phase = "starting";
    backoff.begun();
    try {
      child = options.fork({ take, ended });
    } catch (error) {
      ended(String(error)); // the system has no room for a process: it may have later
    }
  };
  const stopChild = (running: Child): Promise<void> =>
    new Promise((resolve) => {
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
    });

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
      return connections.count;
    },
    handOver: (socket) => child?.send({ type: "connection", id: connections.give(socket) }, socket),
    tell: (order) => child?.send(order),
    scrape: () =>
      child === undefined || phase === "starting"
        ? Promise.resolve()
        : scrapes.ask((id) => child?.send({ type: "families", id })),
    drain: () =>
      new Promise((resolve) => {
        const cancel = clock.after(options.stopWithinMs, resolve);
        drained = () => {
          cancel();
          resolve();
        };
        // One that has not begun to serve has nobody to answer.
        if (child === undefined || phase === "starting") drained();
        else child.send({ type: "drain" });
      }),
    async stop() {
      stopping = true;
      cancelRestart();
      if (child !== undefined) await stopChild(child);
    },
  };
}

/** Connections on their way to a worker. Each stays open here until that one has it, and may be given to another. */
function createHandOvers() {
  const underWay = new Map<number, Socket>();
  let lastId = 0;
  return {
    get count() {
      return underWay.size;
    },
    give(socket: Socket): number {
      underWay.set(++lastId, socket);
      return lastId;
    },
    taken(id: number): void {
      underWay.get(id)?.destroy();
      underWay.delete(id);
    },
    takeBack(): readonly Socket[] {
      const sockets = [...underWay.values()];
      underWay.clear();
      return sockets;
    },
  };
}

function createScrapes(clock: Clock) {
  const waiting = new Map<number, () => void>();
  let lastId = 0;
  return {
    ask: (send: (id: number) => void): Promise<void> =>
      new Promise((resolve) => {
        const id = ++lastId;
        const done = (): void => {
          waiting.delete(id);
          cancel();
          resolve();
        };
        const cancel = clock.after(scrapeMs, done);
        waiting.set(id, done);
        send(id);
      }),
    answered: (id: number): void => waiting.get(id)?.(),
    giveUp(): void {
      for (const done of [...waiting.values()]) done();
    },
  };
}

/** Milliseconds until the next start: twice as many after each failure. */
function createBackoff(clock: Clock) {
  let failures = 0;
  let began = 0;
  return {
    begun(): void {
      began = clock.monotonic();
    },
    next(): number {
      if (clock.monotonic() - began > soundAfterMs) failures = 0;
      return Math.min(maxBackoffMs, firstBackoffMs * 2 ** failures++);
    },
  };
}
