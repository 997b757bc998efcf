import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePorts } from "@orch/store/testing/etcd-server.js";

/** A real Redis on a free port of 127.0.0.1 that writes nothing to disk. */
export interface RedisServer {
  /** `redis://:<password>@127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** Ends it as a power cut would (kill -9), or stops it in its tracks. */
  kill(signal?: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** Starts it again, empty, and waits until it answers. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedis({ password = "" }: { readonly password?: string } = {}): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), "orch-redis-"));
  const [port = 0] = await freePorts(1);
  let child: ChildProcess | undefined;
  let output = "";

  const server: RedisServer = {
    url: `redis://${password === "" ? "" : `:${password}@`}127.0.0.1:${port}`,
    port,
    async kill(signal = "SIGKILL") {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      if (signal === "SIGKILL") await once(child, "exit");
    },
    async restart() {
      const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no"];
      const started = spawn("redis-server", [...args, ...(password === "" ? [] : ["--requirepass", password])], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      child = started;
      output = "";
      started.stdout.on("data", (bytes: Buffer) => {
        output = (output + bytes.toString()).slice(-4000);
      });
      const killWithUs = (): boolean => started.kill("SIGKILL");
      process.once("exit", killWithUs);
      started.once("exit", () => process.removeListener("exit", killWithUs));
      await ready(port, () => {
        if (started.exitCode !== null) throw new Error(`redis-server ended: ${output}`);
      });
    },
    async stop() {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    await server.restart();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

const startupMs = 30_000;

async function ready(port: number, check: () => void): Promise<void> {
  const deadline = performance.now() + startupMs;
  for (;;) {
    check();
    if (await answers(port)) return;
    if (performance.now() > deadline) throw new Error(`redis-server did not come up in ${startupMs} ms`);
    await delay(20);
  }
}

/** Any answer will do: one that wants a password is up. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.write("PING\r\n");
    const [bytes] = await once(socket, "data");
    return Buffer.isBuffer(bytes) && /^(\+PONG|-NOAUTH)/.test(bytes.toString());
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
