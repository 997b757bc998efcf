import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { buildGoProgram } from "../../clients/go-program.js";
import { until } from "../until.js";

/** A konnectivity server that others wrote, with an agent on this machine. */
export interface Konnectivity {
  /** The Unix socket of its tunnels. */
  readonly socketPath: string;
  /** What its processes wrote. */
  log(): string;
  stop(): Promise<void>;
}

/** Builds both in a folder and starts them; why that cannot be, where it cannot. */
export async function startKonnectivity(folder: string): Promise<Konnectivity | string> {
  for (const name of ["server", "agent"]) {
    const source = `sigs.k8s.io/apiserver-network-proxy/cmd/${name}`;
    const missing = await buildGoProgram({ module: "konnectivity", package: source, to: join(folder, name) });
    if (missing !== undefined) return missing;
  }
  const now = Date.now();
  const authority = await issueAuthority("konnectivity", now);
  const files = {
    ca: authority.certificate,
    ...named("cluster", await issueServing(authority, ["127.0.0.1"], now)),
    ...named("agent", await issueClient(authority, { name: "agent" }, now)),
  };
  const path = (name: string): string => join(folder, `${name}.pem`);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(path(name), text)));
  const [agentPort = 0, serverAdmin = 0, serverHealth = 0, agentAdmin = 0, agentHealth = 0] = await freePorts(5);
  const socketPath = join(folder, "konnectivity.sock");
  let log = "";
  const started = (name: string, args: readonly string[]): ChildProcess => {
    const child = spawn(join(folder, name), args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (part: Buffer) => {
        log = `${log}${name}: ${part}`.slice(-20_000);
      });
    }
    return child;
  };
  const server = started("server", [
    "--mode=grpc",
    `--uds-name=${socketPath}`,
    "--server-port=0",
    `--agent-port=${agentPort}`,
    `--admin-port=${serverAdmin}`,
    `--health-port=${serverHealth}`,
    `--cluster-ca-cert=${path("ca")}`,
    `--cluster-cert=${path("cluster")}`,
    `--cluster-key=${path("clusterKey")}`,
  ]);
  await until("the konnectivity server listens", () => (existsSync(socketPath) ? true : undefined));
  const agent = started("agent", [
    `--ca-cert=${path("ca")}`,
    `--agent-cert=${path("agent")}`,
    `--agent-key=${path("agentKey")}`,
    "--proxy-server-host=127.0.0.1",
    `--proxy-server-port=${agentPort}`,
    `--admin-server-port=${agentAdmin}`,
    `--health-server-port=${agentHealth}`,
    "--sync-interval=200ms",
  ]);
  return {
    socketPath,
    log: () => log,
    async stop() {
      await Promise.all([stopped(agent), stopped(server)]);
    },
  };
}

const named = (name: string, pair: { readonly certificate: string; readonly key: string }) => ({
  [name]: pair.certificate,
  [`${name}Key`]: pair.key,
});

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
