import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { SocketPaths } from "./messages.js";

export interface Sockets extends SocketPaths {
  /** Removes what holds them. */
  remove(): Promise<void>;
}

/** What the kernel has room for. */
const longestPath = 107;
const prefix = "workers-";

/**
 * Places for the sockets of this process, in a folder of the data folder that only its user may enter. What a process
 * left behind that was killed is removed; on etcd another one may run on the same data folder.
 * @throws the system's error, or Error where the path is too long for a socket
 */
export async function makeSockets(dataDir: string): Promise<Sockets> {
  await removeDead(dataDir);
  const folder = await mkdtemp(join(dataDir, prefix)); // mode 0700
  const paths = socketsIn(folder);
  const bytes = Math.max(...Object.values(paths).map((path) => Buffer.byteLength(path)));
  if (bytes > longestPath) {
    await rm(folder, { recursive: true });
    throw new Error(
      `--gateway-workers: sockets in ${dataDir} would have paths of ${bytes} bytes and the system takes ${longestPath}: choose a shorter --data-dir`,
    );
  }
  return { ...paths, remove: () => rm(folder, { recursive: true, force: true }) };
}

const socketsIn = (folder: string): SocketPaths => ({
  caches: join(folder, "caches.sock"),
  resources: join(folder, "resources.sock"),
  audit: join(folder, "audit.sock"),
});

async function removeDead(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const folder = join(dataDir, name);
    if (!name.startsWith(prefix) || !(await isDead(socketsIn(folder).caches))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether it is a socket that nobody listens on. */
function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}
