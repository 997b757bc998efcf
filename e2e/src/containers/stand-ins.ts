import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "../clients/program.js";
import { kafkaJars } from "../harness/servers/kafka-broker.js";
import { type Engine, pauseImage } from "./engine.js";

/** Stands in for the base of our images: this process's node on what it is linked with, without a shell. */
export const nodeImage = "localhost/orch-test/node:1";
/** Stands in for the images of etcd, HAProxy and Redis: the programs of Debian. */
export const serversImage = "localhost/orch-test/servers:1";
export const kafkaImage = "localhost/orch-test/kafka:1";
export const prometheusImage = "localhost/orch-test/prometheus:1";

const nodePackages = ["libc6", "libstdc++6", "libgcc-s1", "libatomic1"];
const serverPackages = ["libc6", "etcd-server", "haproxy", "redis-server"];

export async function makeNodeImage(engine: Engine): Promise<void> {
  await makeImage(engine, {
    image: nodeImage,
    packages: nodePackages,
    files: { "usr/local/bin/node": process.execPath },
  });
}

export async function makeServersImage(engine: Engine): Promise<void> {
  // As the official image of HAProxy, which our compose file gives no command.
  const command = ["haproxy", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"];
  await makeImage(engine, { image: serversImage, packages: serverPackages, command });
}

export async function makePauseImage(engine: Engine): Promise<void> {
  await makeImage(engine, { image: pauseImage, packages: ["catatonit"], entryPoint: ["catatonit", "-P"] });
}

/** Formats its storage where that is not done, and serves, by the file that our compose file gives it. */
export async function makeKafkaImage(engine: Engine): Promise<void> {
  const java = "exec /usr/lib/jvm/java-17-openjdk-amd64/bin/java -Xmx320m -cp '/kafka/*'";
  const file = "/mnt/shared/config/server.properties";
  const format = `(${java} kafka.tools.StorageTool format --ignore-formatted -t MkU3OEVBNTcwNTJENDM2Qg -c ${file})`;
  const command = ["/bin/dash", "-c", `${format} && ${java} kafka.Kafka ${file}`];
  const packages = ["dash", "openjdk-17-jre-headless"];
  await makeImage(engine, { image: kafkaImage, packages, folders: { kafka: await kafkaJars() }, command });
}

export async function makePrometheusImage(engine: Engine): Promise<void> {
  await makeImage(engine, { image: prometheusImage, packages: ["libc6", "prometheus"], entryPoint: ["prometheus"] });
}

interface ImageParts {
  readonly image: string;
  /** Of Debian; they are unpacked, not configured. */
  readonly packages: readonly string[];
  /** Files of this machine by their paths in the image. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders, by the same. */
  readonly folders?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly entryPoint?: readonly string[];
}

async function makeImage(engine: Engine, parts: ImageParts): Promise<void> {
  const { image, packages, files = {}, folders = {}, command, entryPoint } = parts;
  const root = await mkdtemp(join(engine.folder, "root-"));
  await must(["tar", "--extract", "--file", await unpacked(packages), "--directory", root]);
  for (const folder of ["tmp", "run"]) await mkdir(join(root, folder), { recursive: true, mode: 0o1777 });
  for (const [path, source] of Object.entries(files)) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await copyFile(source, join(root, path));
  }
  for (const [path, source] of Object.entries(folders)) await cp(source, join(root, path), { recursive: true });
  const archive = `${root}.tar`;
  await must(["tar", "--create", "--file", archive, "--directory", root, "."]);
  // An imported image has no path of its own.
  const path = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const changes = [
    path,
    ...(command === undefined ? [] : [`CMD ${JSON.stringify(command)}`]),
    ...(entryPoint === undefined ? [] : [`ENTRYPOINT ${JSON.stringify(entryPoint)}`]),
  ];
  await engine.podman("import", "--quiet", ...changes.flatMap((change) => ["--change", change]), archive, image);
  await Promise.all([rm(root, { recursive: true }), rm(archive)]);
}

/** An archive of the packages and what they need; it is made once for this machine. */
async function unpacked(packages: readonly string[]): Promise<string> {
  const hash = createHash("sha256").update(packages.join()).digest("hex").slice(0, 12);
  const kept = join(tmpdir(), `orch-stand-in-${hash}.tar`);
  if (existsSync(kept)) return kept;
  const draft = await mkdtemp(`${kept}-`);
  try {
    const archive = join(draft, "root.tar");
    await must(["mmdebstrap", "--quiet", "--variant=extract", `--include=${packages.join()}`, "bookworm", archive]);
    await rename(archive, kept);
    return kept;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function must(command: readonly string[]): Promise<void> {
  const { code, output, errors } = await execute(command, { timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}${errors}`);
}
