import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@orch/status/message-of.js";
import type { Credentials } from "../etcd/calls.js";
import { createConnections, type StreamConnection } from "../etcd/connections.js";
import { methods, toNumber } from "../etcd/methods.js";
import type { Tls } from "../etcd/tls.js";
import { BackupRefused } from "./manifest.js";

export interface EtcdSource {
  readonly endpoints: readonly string[];
  readonly tls?: Tls;
  readonly auth?: Credentials;
}

export interface EtcdCopy {
  /** At least so new is what was copied. */
  readonly revision: number;
  readonly endpoint: string;
}

const callMs = 10_000;
const checksumBytes = 32;
/** etcd's database consists of pages; only the checksum behind them does not fill one. */
const pageBytes = 512;

/**
 * Writes a member's snapshot into a new file, as etcd's own tools do and take it, and compares it with the checksum that etcd puts
 * behind it. The members are asked in turn. @throws BackupRefused
 */
export async function copyEtcd(source: EtcdSource, file: string): Promise<EtcdCopy> {
  const problems: string[] = [];
  for (const endpoint of source.endpoints) {
    const connections = createConnections([endpoint], { tls: source.tls });
    const connection = connections.dial();
    try {
      return { endpoint, revision: await copyMember(connection, source, file) };
    } catch (error) {
      problems.push(`${endpoint}: ${messageOf(error)}`);
    } finally {
      connection.close();
      await connections.close();
    }
  }
  throw new BackupRefused(`no member gave a whole snapshot: ${problems.join("; ")}`);
}

async function copyMember(connection: StreamConnection, { auth }: EtcdSource, file: string): Promise<number> {
  if (!(await connection.isUp(callMs))) throw new BackupRefused("cannot be reached");
  const timeoutMs = callMs;
  const token =
    auth === undefined
      ? undefined
      : (
          await connection.call(
            methods.authenticate,
            { name: auth.username, password: auth.password },
            { timeoutMs, token: undefined },
          )
        ).token;
  const { header } = await connection.call(methods.status, {}, { timeoutMs, token: token ?? undefined });
  const stream = connection.stream(methods.snapshot, token ?? undefined);
  stream.write({});
  stream.end();
  const blobs = async function* (parts: AsyncIterable<{ readonly blob?: Uint8Array | null }>) {
    for await (const { blob } of parts) if (blob !== null && blob !== undefined) yield blob;
  };
  await pipeline(stream, blobs, createWriteStream(file, { flags: "w", mode: 0o600, flush: true }));
  await checkSnapshot(file);
  return toNumber(header?.revision);
}

/** @throws BackupRefused where the file is not what its checksum says */
async function checkSnapshot(file: string): Promise<void> {
  const { size } = await stat(file);
  if (size % pageBytes !== checksumBytes) throw new BackupRefused(`the snapshot is cut: it has ${size} bytes`);
  const handle = await open(file);
  try {
    const hash = createHash("sha256");
    for await (const part of handle.createReadStream({ end: size - checksumBytes - 1, autoClose: false }))
      hash.update(part);
    const { buffer } = await handle.read(Buffer.alloc(checksumBytes), 0, checksumBytes, size - checksumBytes);
    if (!hash.digest().equals(buffer)) throw new BackupRefused("the snapshot is not what its checksum says");
  } finally {
    await handle.close();
  }
}
