import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Processes that a process has started and that still run. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

/** Whether there is such a process; one that waits to be collected counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
  } catch {
    return false;
  }
}

/** Which of some processes has the server's end of a connection on loopback. @throws Error when none has */
export function holderOf(pids: readonly number[], ports: { readonly server: number; readonly client: number }): number {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
  const rows = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const row = rows.find(
    ([, local, remote]) => local?.endsWith(`:${hex(ports.server)}`) && remote?.endsWith(`:${hex(ports.client)}`),
  );
  const socket = `socket:[${row?.[9]}]`;
  const found = pids.find((pid) => linksIn(`/proc/${pid}/fd`).includes(socket));
  if (found === undefined) throw new Error(`none of ${pids} has the connection from port ${ports.client}`);
  return found;
}

function linksIn(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return ""; // closed meanwhile
    }
  });
}
