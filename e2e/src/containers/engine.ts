import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "../clients/program.js";

/** podman with images, containers and networks of its own, in a temporary folder. */
export interface Engine {
  readonly folder: string;
  /** By which podman and podman-compose find it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs podman; its output. @throws Error with what it wrote */
  podman(...args: readonly string[]): Promise<string>;
  /** The last lines of containers. */
  logs(containers: readonly string[]): string;
  /** Removes it with all that it runs and keeps. */
  close(): Promise<void>;
}

/** What holds the network of a pod. */
export const pauseImage = "localhost/orch-test/pause:1";

/** One that runs nothing yet. `driver`: how it stores images. */
export async function createEngine(driver: string): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), "orch-podman-"));
  const containers = join(folder, "containers.conf");
  const storage = join(folder, "storage.conf");
  await mkdir(join(folder, "networks"));
  await writeFile(
    containers,
    `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
infra_image = "${pauseImage}"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "${folder}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
`,
  );
  await writeFile(
    storage,
    `[storage]\ndriver = "${driver}"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  );
  const environment = { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage };
  const run = (args: readonly string[]) =>
    execute(["podman", ...args], { cwd: folder, env: environment, timeoutMs: 300_000 });
  return {
    folder,
    environment,
    async podman(...args) {
      const { code, output, errors } = await run(args);
      if (code === 0) return output;
      throw new Error(`podman ${args.join(" ")} ended with ${code}: ${output}${errors}`);
    },
    logs(containers) {
      const tail = (container: string): string => {
        const options = { env: { ...process.env, ...environment }, encoding: "utf8" } as const;
        const { stdout, stderr } = spawnSync("podman", ["logs", "--tail=20", container], options);
        return `--- ${container}\n${stdout}${stderr}`;
      };
      return containers.map(tail).join("\n");
    },
    async close() {
      await run(["pod", "rm", "--all", "--force", "--time=0"]);
      await run(["rm", "--all", "--force", "--time=0"]);
      await run(["network", "prune", "--force"]);
      // What it has mounted, the innermost first.
      const mounts = (await readFile("/proc/mounts", "utf8"))
        .split("\n")
        .flatMap((line) => line.split(" ", 2).slice(1));
      for (const place of mounts.filter((each) => each.startsWith(`${folder}/`)).reverse()) {
        await execute(["umount", "--lazy", place]);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
