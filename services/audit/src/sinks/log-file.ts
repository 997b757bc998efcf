import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { messageOf } from "@orch/status/message-of.js";

export interface LogFileOptions {
  readonly path: string;
  /** A file that would grow over this is put aside and a new one begun. */
  readonly maxBytes: number;
  /** Files put aside are kept for so long; for ever if 0. */
  readonly maxAgeMs: number;
  /** As many of them are kept, the youngest; all if 0. */
  readonly maxBackups: number;
  /** Files put aside are compressed. */
  readonly compress: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told of what goes wrong with files that were put aside. */
  readonly warn: (what: string, error: unknown) => void;
}

/** A file that rotates. */
export interface LogFile {
  /** Settles when the bytes are in the file. @throws the system's error; what was written of them in part is taken back */
  append(bytes: Buffer): Promise<void>;
  /** Waits for what is done with files that were put aside, too. */
  close(): Promise<void>;
}

const newline = 0x0a;

export function createLogFile(options: LogFileOptions): LogFile {
  const { path, maxBytes, warn } = options;
  let file: FileHandle | undefined;
  let size = 0;
  let tidying: Promise<void> = Promise.resolve();

  async function begin(): Promise<FileHandle> {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    const opened = await open(path, "a+", 0o600);
    size = (await opened.stat()).size;
    // A line of which a power failure has left a part must not become the beginning of another.
    if (size > 0 && (await lastByte(opened, size)) !== newline) size += (await opened.write("\n")).bytesWritten;
    file = opened;
    return opened;
  }

  async function rotate(): Promise<void> {
    await file?.close();
    file = undefined;
    await rename(path, await freeName(path, options.now()));
    tidying = tidying
      .then(() => tidy(options))
      .catch((error: unknown) => warn("rotated files of the audit log could not be tidied up", error));
  }

  return {
    async append(bytes) {
      let to = file ?? (await begin());
      if (size > 0 && size + bytes.length > maxBytes) {
        await rotate();
        to = await begin();
      }
      const before = size;
      try {
        for (let at = 0; at < bytes.length; ) at += (await to.write(bytes, at)).bytesWritten;
      } catch (error) {
        await to.truncate(before).catch(() => {});
        await to.close().catch(() => {});
        file = undefined;
        throw error;
      }
      size += bytes.length;
    },
    async close() {
      await tidying;
      await file?.close();
      file = undefined;
    },
  };
}

async function lastByte(file: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

/** `audit-2026-11-23T04-05-06.789.log`: the time at which it was put aside, in UTC. */
function backupName(path: string, ms: number): string {
  const extension = extname(path);
  const time = new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-");
  return join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
}

/** Two files may be put aside within a millisecond. */
async function freeName(path: string, ms: number): Promise<string> {
  for (let at = ms; ; at++) {
    const name = backupName(path, at);
    if (!(await exists(name)) && !(await exists(`${name}.gz`))) return name;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

interface Backup {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly compressed: boolean;
}

const stampLength = "2026-11-23T04-05-06.789".length;

async function backupsOf(path: string): Promise<readonly Backup[]> {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const found: Backup[] = [];
  for (const name of await readdir(dirname(path))) {
    const compressed = name.endsWith(`${extension}.gz`);
    const stamp = name.slice(prefix.length, prefix.length + stampLength);
    const rest = name.slice(prefix.length + stampLength);
    if (!name.startsWith(prefix) || rest !== (compressed ? `${extension}.gz` : extension)) continue;
    const at = Date.parse(`${stamp.slice(0, 11)}${stamp.slice(11).replaceAll("-", ":")}Z`);
    if (!Number.isNaN(at)) found.push({ path: join(dirname(path), name), at, compressed });
  }
  return found.sort((a, b) => b.at - a.at);
}

async function tidy({ path, maxAgeMs, maxBackups, compress, now }: LogFileOptions): Promise<void> {
  const backups = await backupsOf(path);
  const isOld = ({ at }: Backup): boolean => maxAgeMs > 0 && at < now() - maxAgeMs;
  for (const [i, backup] of backups.entries()) {
    if ((maxBackups > 0 && i >= maxBackups) || isOld(backup)) await unlink(backup.path);
    else if (compress && !backup.compressed) await compressFile(backup.path);
  }
}

async function compressFile(path: string): Promise<void> {
  const unfinished = `${path}.gz.new`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
  await rename(unfinished, `${path}.gz`);
  await unlink(path);
}

/** Standard output as such a file. */
export function standardOutput(stream: NodeJS.WritableStream): LogFile {
  return {
    append: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(new Error(messageOf(error))) : resolve()));
      }),
    close: () => Promise.resolve(),
  };
}
