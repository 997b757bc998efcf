import type { Socket } from "node:net";
import { callerSource } from "@orch/access/caller-source.js";
import { openEgress } from "@orch/access/egress.js";
import { followDefinitions } from "@orch/access/follow-definitions.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { anyGroup, createPeers, type Peers } from "@orch/rpc/group-peers.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { silentLog } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { processTools } from "@orch/runtime/program.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { untilReady } from "@orch/runtime/until-ready.js";
import { version } from "@orch/runtime/version.js";
import { assembleGateway } from "@orch/service-gateway/assemble.js";
import { servedCatalog } from "@orch/service-gateway/settings.js";
import { openTracing } from "@orch/tracing/open-tracing.js";
import type { Order, Report, WorkerSettings } from "./messages.js";
import { peerLog } from "./peer-log.js";

export interface Worker {
  /** A connection comes as a socket, unless it has broken on the way. */
  take(order: Exclude<Order, { readonly type: "settings" }>, socket: Socket | undefined): void;
}

export interface WorkerTools {
  readonly tell: (report: Report) => void;
  /** The command line of this process. */
  readonly argv: readonly string[];
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A gateway as a process of its own, which the main process of standalone runs. */
export async function startWorker(settings: WorkerSettings, { tell, environment, argv }: WorkerTools): Promise<Worker> {
  const { slot, serving, flags, sockets } = settings;
  const tools = processTools("gateway", flags, judgedBefore);
  const { clock, health, release } = tools;
  const log = tools.log.child({ worker: slot });
  const naming = createNaming(flags["api-dialect"]);
  registerFeatureMetrics(tools.metrics, tools.gates, naming.word("orch"));
  const egress = await openEgress(flags["egress-selector-config-file"], {
    naming,
    metrics: tools.metrics,
    clock,
    refuse: judgedBefore,
  });
  const tracing = await openTracing(flags["tracing-config-file"], {
    ...{ naming, metrics: tools.metrics, clock, log, refuse: judgedBefore },
    dial: egress?.through("controlplane"),
    service: "apiserver",
  });
  // What is to be said of the flags the main process has said.
  const catalogTools = { refuse: judgedBefore, log: silentLog };
  const page = askForPage(tell);
  const stopping = new AbortController();
  let leaving = false;
  let connected = (socket: Socket): void => void socket.destroy();
  const peersAt = (path: string): Peers =>
    createPeers(new Map([[anyGroup, connect({ target: `unix:${path}`, log: peerLog(log, () => leaving) })]]));
  const caches = peersAt(sockets.caches);
  const resources = peersAt(sockets.resources);
  const keeper =
    serving.audit === undefined
      ? undefined
      : connect({ target: `unix:${sockets.audit}`, log: peerLog(log, () => leaving) });
  const catalog = createLiveCatalog(
    servedCatalog(naming, { release, runtimeConfig: flags["runtime-config"] }, catalogTools),
  );
  const definitions = followDefinitions(
    callerSource({ caches: (group) => caches.of(group), clock, log: (what, err) => log.warn({ err }, what) }),
    catalog,
  );
  const gateway = await assembleGateway(serving, {
    naming,
    catalog,
    caches,
    resources,
    audit: keeper === undefined ? undefined : { service: keeper, pid: process.pid },
    health,
    metrics: { ...tools.metrics, text: page.text },
    connections: (take) => {
      connected = take;
    },
    log,
    profiling: createProfiling({ clock, argv }),
    noteWork: tools.noteWork,
    tracing,
    clock,
    version,
    environment,
    egress,
  });
  void runProcess({
    log,
    clock,
    delay: 0,
    shuttingDown: () => health.shutDown(),
    stopOn: stopping.signal,
    service: {
      async start() {
        await gateway.start();
        tell({ type: "serving" });
      },
      async stop() {
        definitions.stop();
        await gateway.stop();
        await Promise.all(
          [...caches.all, ...resources.all, ...(keeper === undefined ? [] : [keeper])].map((peer) => peer.close()),
        );
        await tracing?.stop();
      },
    },
    started: () => void untilReady(health, { clock, signal: stopping.signal }).then(() => tell({ type: "ready" })),
  });
  return {
    take(order, socket) {
      if (order.type === "connection") {
        tell({ type: "taken", id: order.id });
        if (socket !== undefined) connected(socket);
      } else if (order.type === "page") page.answered(order.id, order.text);
      else if (order.type === "families") void report(tools.metrics, order.id, tell);
      else if (order.type === "drain") void gateway.drain().then(() => tell({ type: "drained" }));
      else if (order.type === "stop") stopping.abort();
      else {
        leaving = true;
        health.shutDown();
        gateway.leave();
      }
    },
  };
}

function judgedBefore(problem: string): never {
  throw new TypeError(`the main process took what a worker does not: ${problem}`);
}

async function report(metrics: Metrics, id: number, tell: (report: Report) => void): Promise<void> {
  tell({ type: "families", id, families: await metrics.families() });
}

/** `/metrics` is of all processes, which only the main one knows. */
function askForPage(tell: (report: Report) => void): {
  readonly text: () => Promise<string>;
  readonly answered: (id: number, text: string) => void;
} {
  const asked = new Map<number, (text: string) => void>();
  let lastId = 0;
  return {
    text: () =>
      new Promise((resolve) => {
        const id = ++lastId;
        asked.set(id, resolve);
        tell({ type: "page", id });
      }),
    answered(id, text) {
      asked.get(id)?.(text);
      asked.delete(id);
    },
  };
}
