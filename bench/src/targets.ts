import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLocalCluster } from "@orch/deploy/local-cluster.js";
import { portOf, startProcess } from "@orch/deploy/process.js";
import { createNaming } from "@orch/naming/naming.js";
import { ensurePki, type Pki } from "@orch/service-standalone/pki/pki.js";
import { childrenOf } from "./cpu.js";
import { type Endpoint, once, sleep } from "./load/load.js";

/** Something to measure: where it listens and which processes do the work. */
export interface Target {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  readonly pids: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** A target of ours. */
export interface OrchTarget extends Target {
  /** Kills a process that holds every object in memory and starts it again: until it has loaded them and serves. */
  restartCache(): Promise<void>;
}

const nothing = (): readonly string[] => [];
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

async function scratch(): Promise<{ path: string; pki: Pki; drop(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "orch-bench-"));
  const pki = await ensurePki(path, { tlsSans: [], clock: { now: Date.now }, naming: createNaming("orch") });
  return { path, pki, drop: () => rm(path, { recursive: true, force: true }) };
}

/** A bare node:https server: floors (a) and (c). */
export async function startFloor(): Promise<Target> {
  const { pki, drop } = await scratch();
  const args = [pki.paths.servingKey, pki.paths.servingCertificate];
  const child = await startProcess({ name: "floor", script: here("./floor-server.js"), args, sameAgain: nothing });
  return {
    name: "floor",
    endpoints: [{ host: "127.0.0.1", port: Number(portOf(child.addresses["https"])), token: "none" }],
    pids: new Map([["floor", child.pid ?? 0]]),
    async stop() {
      await child.stop();
      await drop();
    },
  };
}

/** The floor behind one that only passes on: two bare node:https servers. */
export async function startRelay(): Promise<Target> {
  const floor = await startFloor();
  const [upstream] = floor.endpoints;
  const { pki, drop } = await scratch();
  // Of another authority: what is measured is not who it is.
  const { servingKey, servingCertificate } = pki.paths;
  const args = [servingKey, servingCertificate, `https://127.0.0.1:${upstream?.port}`];
  const child = await startProcess({ name: "relay", script: here("./hop/relay-server.js"), args, sameAgain: nothing });
  return {
    name: "relay",
    endpoints: [{ host: "127.0.0.1", port: Number(portOf(child.addresses["https"])), token: "none" }],
    pids: new Map([["relay", child.pid ?? 0], ...floor.pids]),
    async stop() {
      await child.stop();
      await drop();
      await floor.stop();
    },
  };
}

/** Of two users who may do everything and are nobody special to flow control. */
export const userTokens = { light: "light-token", heavy: "heavy-token" } as const;

/** Both targets know {@link userTokens}. */
async function userArgs(
  folder: string,
  { before = "", authorization = "AlwaysAllow" } = {},
): Promise<readonly string[]> {
  const file = join(folder, "users.csv");
  const lines = Object.entries(userTokens).map(([name, token]) => `${token},${name},${name}\n`);
  await writeFile(file, before + lines.join(""));
  return [`--token-auth-file=${file}`, `--authorization-mode=${authorization}`];
}

export interface TargetOptions {
  /** Node's own, for each process. */
  readonly nodeArgs: readonly string[];
  /** Gateway workers of standalone. */
  readonly workers: number;
  /** Whether controllers watch all that is written. */
  readonly controllers: boolean;
  /** Whether gateways of separate services have near caches. */
  readonly near?: boolean;
  /** Of separate services; two where absent. */
  readonly gateways?: number;
  /** Further flags of standalone, and of gateways. */
  readonly flags?: readonly string[];
  /** Fills the data directory of standalone before its start. */
  readonly prepare?: (dataDir: string) => Promise<void>;
  /** Of standalone; AlwaysAllow where absent. */
  readonly authorization?: string;
}

export interface StandaloneTarget extends OrchTarget {
  /** A file that names the server, for programs of ours. */
  readonly clientConfig: string;
}

export async function startStandalone(options: TargetOptions): Promise<StandaloneTarget> {
  const { nodeArgs, workers, controllers } = options;
  const { path, pki, drop } = await scratch();
  const script = here("../../services/standalone/dist/main.js");
  const own = ["--secure-port=0", `--gateway-workers=${workers}`, ...(controllers ? [] : ["--controllers="])];
  const flags = [...own, ...(options.flags ?? [])];
  await options.prepare?.(path);
  const args = [
    `--data-dir=${path}`,
    ...flags,
    ...(await userArgs(path, { authorization: options.authorization ?? "AlwaysAllow" })),
  ];
  const sameAgain = ({ https }: { https?: string }): readonly string[] => [`--secure-port=${portOf(https)}`];
  const child = await startProcess({ name: "standalone", script, args, nodeArgs, sameAgain });
  const endpoint = { host: "127.0.0.1", port: Number(portOf(child.addresses["https"])), token: pki.adminToken };
  return {
    name: "standalone",
    endpoints: [endpoint],
    clientConfig: join(path, "admin.orchconfig"),
    // Others after a restart.
    get pids() {
      const pid = child.pid ?? 0;
      const workers = childrenOf(pid).map((worker, i): [string, number] => [`worker ${i}`, worker]);
      return new Map([["standalone", pid], ...workers]);
    },
    async restartCache() {
      await child.kill();
      await child.restart();
      await ready(endpoint);
    },
    async stop() {
      await child.stop();
      await drop();
    },
  };
}

/** Standalone with everything on, and a meter at a socket: of the turns of its event loop, or of what its memory is made of. */
export async function startMetered(
  options: TargetOptions,
  what: "turns" | "memory",
): Promise<OrchTarget & { readonly meter: string }> {
  const folder = await mkdtemp(join(tmpdir(), "orch-meter-"));
  const meter = join(folder, "socket");
  process.env["BENCH_METER"] = meter;
  const target = await startStandalone({
    ...options,
    nodeArgs: [...options.nodeArgs, `--import=${new URL(`./${what}/meter.js`, import.meta.url).href}`],
    controllers: true,
    flags: ["--feature-gates=CBORServingAndStorage=true"],
  });
  const stop = async (): Promise<void> => {
    await target.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return Object.defineProperties({ ...target, meter, stop }, { pids: { get: () => target.pids } });
}

/** Waits for the first 200 on /readyz. */
export async function ready(endpoint: Endpoint): Promise<void> {
  while ((await once(endpoint, { method: "GET", path: "/readyz" })).code !== 200) await sleep(5);
}

/** Standalone on an empty directory; `began` is the moment before its process was started. */
export async function startEmpty(): Promise<{ endpoint: Endpoint; began: number; stop(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "orch-bench-"));
  const script = here("../../services/standalone/dist/main.js");
  const args = [`--data-dir=${join(path, "data")}`, "--secure-port=0"];
  const began = performance.now();
  const child = await startProcess({ name: "standalone", script, args, sameAgain: nothing });
  return {
    endpoint: { host: "127.0.0.1", port: Number(portOf(child.addresses["https"])), token: "" },
    began,
    async stop() {
      await child.stop();
      await rm(path, { recursive: true, force: true });
    },
  };
}

export interface DistributedTarget extends OrchTarget {
  /** Endpoints of etcd. */
  readonly etcd: readonly string[];
  /** Kills a gateway and starts it again: milliseconds until it listens, and until its near cache answers. */
  restartGateway(): Promise<{ readonly serving: number; readonly near: number }>;
}

const nearSaid = /answered by the near cache/g;

/** Two gateways, two resource services, two watch caches and three members of etcd. */
export async function startDistributed({
  nodeArgs,
  controllers,
  gateways,
  near = false,
  flags = [],
}: TargetOptions): Promise<DistributedTarget> {
  const { path, pki, drop } = await scratch();
  const gatewayArgs = [...(await userArgs(path, { before: await readFile(pki.paths.tokens, "utf8") })), ...flags];
  const cluster = await startLocalCluster({
    dialect: "orch",
    dataDir: path,
    nodeArgs,
    gatewayArgs: near ? [...gatewayArgs, "--near-cache=*"] : gatewayArgs,
    ...(gateways === undefined ? {} : { gateways }),
    controllerManagers: controllers ? 2 : 0,
  });
  const parts = [...cluster.gateways, ...cluster.resources, ...cluster.watchCaches];
  while (near && !cluster.gateways.every((gateway) => gateway.log().includes("near cache"))) await sleep(20);
  return {
    name: "distributed",
    etcd: cluster.etcd.endpoints,
    endpoints: cluster.urls.map((url) => ({
      host: "127.0.0.1",
      port: Number(new URL(url).port),
      token: pki.adminToken,
    })),
    pids: new Map(parts.map((part) => [part.name, part.pid ?? 0])),
    async restartGateway() {
      const [gateway] = cluster.gateways;
      if (gateway === undefined) throw new TypeError("no gateway");
      await gateway.kill();
      const said = (): number => [...gateway.log().matchAll(nearSaid)].length;
      const before = said();
      const began = performance.now();
      await gateway.restart();
      const serving = performance.now() - began;
      while (said() === before) await sleep(1);
      return { serving, near: performance.now() - began };
    },
    async restartCache() {
      const [watchCache] = cluster.watchCaches;
      await watchCache?.kill();
      await watchCache?.restart();
    },
    async stop() {
      await cluster.stop();
      await drop();
    },
  };
}
