import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A real etcd of one or several members on free ports of 127.0.0.1, with its data in a temporary directory. */
export interface EtcdServer {
  readonly endpoints: readonly string[];
  readonly members: readonly EtcdMember[];
  /** The index of the member that leads. */
  leader(): Promise<number>;
  stop(): Promise<void>;
}

export interface EtcdMember {
  readonly endpoint: string;
  /** Of the running one; undefined while there is none. */
  readonly pid: number | undefined;
  /** Where its data is. */
  readonly directory: string;
  /** Ends it as a power cut would (kill -9), or stops it in its tracks. */
  kill(signal?: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** Starts it again on its data and waits until it answers. */
  restart(): Promise<void>;
}

export interface EtcdOptions {
  readonly members?: number;
  /** Further flags of etcd. */
  readonly args?: readonly string[];
  /** PEM files for clients; endpoints are then https. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly trustedCaFile: string };
  /** The program; `etcd` of the path. */
  readonly binary?: string;
}

/** Why tests on etcd cannot run here, for a loud skip; with CI=true that is an error instead. */
export function etcdMissing(binary = "etcd"): string | undefined {
  return programMissing(binary, "etcd-server");
}

/** The same of any program that a Debian package has. */
export function programMissing(binary: string, debianPackage: string): string | undefined {
  if (spawnSync(binary, ["--version"]).status === 0) return undefined;
  const reason = `SKIPPED: there is no ${binary} here (Debian: apt-get install ${debianPackage})`;
  if (process.env["CI"] === "true") throw new Error(reason);
  process.stderr.write(`${reason}\n`);
  return reason;
}

export async function startEtcd(options: EtcdOptions = {}): Promise<EtcdServer> {
  const directory = await mkdtemp(join(tmpdir(), "orch-etcd-"));
  const ports = await freePorts(2 * (options.members ?? 1));
  const plans = ports.flatMap((port, i) =>
    i % 2 === 0 ? [plan(options, i / 2, { client: port, peer: ports[i + 1] ?? 0 })] : [],
  );
  const cluster = plans.map(({ name, peer }) => `${name}=${peer}`).join(",");
  const members = plans.map((member) =>
    createMember(options, { ...member, directory: join(directory, member.name), cluster }),
  );
  const stop = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.kill()));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await Promise.all(members.map((member) => member.restart()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoints: members.map((member) => member.endpoint), members, leader: () => findLeader(members), stop };
}

interface Plan {
  readonly name: string;
  readonly client: string;
  readonly peer: string;
  readonly metrics: string;
}

function plan(options: EtcdOptions, index: number, ports: { client: number; peer: number }): Plan {
  const scheme = options.tls === undefined ? "http" : "https";
  const client = `${scheme}://127.0.0.1:${ports.client}`;
  return { name: `m${index}`, client, peer: `http://127.0.0.1:${ports.peer}`, metrics: client };
}

function createMember(
  options: EtcdOptions,
  member: Plan & { directory: string; cluster: string },
): EtcdMember & { child(): ChildProcess | undefined } {
  let child: ChildProcess | undefined;
  let output = "";
  let missing: Error | undefined;

  function start(): void {
    const { tls } = options;
    const args = [
      ...["--name", member.name, "--data-dir", member.directory, "--logger", "zap", "--log-level", "warn"],
      ...["--listen-client-urls", member.client, "--advertise-client-urls", member.client],
      ...["--listen-peer-urls", member.peer, "--initial-advertise-peer-urls", member.peer],
      ...["--initial-cluster", member.cluster, "--initial-cluster-token", "orch-test"],
      ...(tls === undefined ? [] : ["--cert-file", tls.certFile, "--key-file", tls.keyFile]),
      ...(tls === undefined ? [] : ["--client-cert-auth", "--trusted-ca-file", tls.trustedCaFile]),
      ...(options.args ?? []),
    ];
    output = "";
    child = spawn(options.binary ?? "etcd", args, { stdio: ["ignore", "ignore", "pipe"] });
    const started = child;
    // Without a listener a program that is not there is an uncaught exception.
    started.once("error", (error) => {
      missing = error;
    });
    const killWithUs = (): boolean => started.kill("SIGKILL");
    process.once("exit", killWithUs);
    started.once("exit", () => process.removeListener("exit", killWithUs));
    child.stderr?.on("data", (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-4000);
    });
  }

  return {
    endpoint: member.client,
    get pid() {
      return child?.pid;
    },
    directory: member.directory,
    child: () => child,
    async kill(signal = "SIGKILL") {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      if (signal === "SIGKILL") await once(child, "exit");
    },
    async restart() {
      start();
      await ready(member.client, options, () => {
        if (missing !== undefined) throw missing;
        if (child !== undefined && (child.exitCode !== null || child.signalCode !== null))
          throw new Error(`etcd ended: ${output}`);
      });
    },
  };
}

const startupMs = 30_000;

/** Waits until a member has answered a linearizable read, so that it has a leader. */
async function ready(endpoint: string, options: EtcdOptions, check: () => void): Promise<void> {
  const deadline = performance.now() + startupMs;
  for (;;) {
    check();
    if (await answers(endpoint, options)) return;
    if (performance.now() > deadline) throw new Error(`etcd at ${endpoint} did not come up in ${startupMs} ms`);
    await delay(30);
  }
}

async function answers(endpoint: string, options: EtcdOptions): Promise<boolean> {
  try {
    if (options.tls !== undefined) return await canConnect(endpoint);
    const response = await fetch(`${endpoint}/health`, { signal: AbortSignal.timeout(2000) });
    return response.ok;
  } catch {
    return false;
  }
}

async function canConnect(endpoint: string): Promise<boolean> {
  const { connect } = await import("node:net");
  const { hostname, port } = new URL(endpoint);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}

async function findLeader(members: readonly EtcdMember[]): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    for (const [i, { endpoint }] of members.entries()) {
      const metrics = await fetch(`${endpoint}/metrics`, { signal: AbortSignal.timeout(1000) })
        .then((response) => response.text())
        .catch(() => "");
      if (/^etcd_server_is_leader 1$/m.test(metrics)) return i;
    }
    await delay(100);
  }
  throw new Error("no member of etcd leads");
}

/** Below those that the system gives to connections and to whoever asks for any (32768 on): these would be taken at once. */
const [firstPort, endPort] = [15_000, 32_000];

/** So many ports of 127.0.0.1 that nobody listens at, for programs that are started later. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(firstPort, endPort);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
