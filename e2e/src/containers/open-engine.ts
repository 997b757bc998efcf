import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { until } from "../harness/until.js";
import { startPatienceMs } from "./administration.js";
import { createEngine, type Engine } from "./engine.js";
import { makeNodeImage, nodeImage } from "./stand-ins.js";

/** Why there can be no container here; undefined where podman may well run. */
export function podmanMissing(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "containers are run on Linux, as root";
  for (const program of ["podman", "runc", "mmdebstrap"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) return `there is no ${program} here`;
  }
  const resolving = ["netavark", "aardvark-dns"].find((name) => !existsSync(`/usr/lib/podman/${name}`));
  return resolving === undefined
    ? undefined
    : `there is no ${resolving} here, by which containers know each other's names`;
}

/** An engine whose containers run and find each other, as those of {@link tryContainers} do; a sentence where none does. */
export async function openEngine(): Promise<Engine | string> {
  let problem = "";
  // Copies of whole images are slow: they are for where the kernel has no overlays.
  for (const driver of ["overlay", "vfs"]) {
    const engine = await createEngine(driver);
    try {
      await makeNodeImage(engine);
      await tryContainers(engine);
      return engine;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      await engine.close();
    }
  }
  return `podman runs no container here: ${problem.slice(0, 500)}`;
}

/** Two containers restricted as ours are: one asks the other by its name, in a network of their own. @throws Error with what podman wrote */
async function tryContainers(engine: Engine): Promise<void> {
  const serve = 'require("net").createServer((socket) => socket.end("here")).listen(80)';
  const ask = 'require("net").connect(80, "named").on("data", (text) => process.stdout.write(text))';
  const [port = 0] = await freePorts(1);
  const restricted = ["--network=tried", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
  await engine.podman("network", "create", "tried");
  const published = [`--publish=127.0.0.1:${port}:80`, "--sysctl=net.ipv4.ip_unprivileged_port_start=0"];
  const named = ["--detach", "--name=named", ...published, ...restricted];
  await engine.podman("run", ...named, nodeImage, "node", "-e", serve);
  await until(
    "a container answers another",
    async () => {
      const asked = engine.podman("run", "--rm", ...restricted, nodeImage, "node", "-e", ask);
      return (await asked.catch(() => "")) === "here" ? true : undefined;
    },
    startPatienceMs,
  );
  await engine.podman("rm", "--force", "--time=0", "named");
  await engine.podman("network", "rm", "tried");
}
