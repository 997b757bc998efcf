import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";

/** What a backup's `backup.json` says: what the folder holds, so that a restore can tell whether it is all there. */
export interface BackupManifest {
  readonly kind: "OrchBackup";
  readonly format: 1;
  readonly store: "embedded" | "etcd";
  /** RFC 3339. */
  readonly madeAt: string;
  /** Of the program that made it. */
  readonly version: string;
  /** The newest change that is in it. */
  readonly revision: number;
  /** By path in the folder, with slashes. */
  readonly files: Readonly<Record<string, BackedUpFile>>;
}

export interface BackedUpFile {
  readonly bytes: number;
  readonly sha256: string;
}

export const manifestFile = "backup.json";

/** A folder that is no backup, or not whole. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
}

/** Every file of a folder but the manifest itself. */
export async function describeFiles(folder: string): Promise<BackupManifest["files"]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: Record<string, BackedUpFile> = {};
  for (const entry of found.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).replaceAll("\\", "/");
    if (name !== manifestFile) files[name] = await describeFile(path);
  }
  return files;
}

async function describeFile(path: string): Promise<BackedUpFile> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return { bytes: (await stat(path)).size, sha256: hash.digest("hex") };
}

/** The manifest of a backup whose files are all there and as they were written. @throws BackupRefused */
export async function verifiedManifest(folder: string): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  const files = await describeFiles(folder);
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const file = files[name];
    const problem =
      file === undefined
        ? "is missing"
        : file.bytes !== bytes
          ? `has ${file.bytes} of ${bytes} bytes`
          : file.sha256 !== sha256
            ? "is not as it was written"
            : undefined;
    if (problem !== undefined) throw new BackupRefused(`${join(folder, name)} ${problem}`);
  }
  return manifest;
}

async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, manifestFile);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new BackupRefused(`${folder} is no backup: ${messageOf(error)}`);
  });
  const manifest: unknown = readJson(text);
  if (isManifest(manifest)) return manifest;
  throw new BackupRefused(`${path} is not the description of a backup that this version can read`);
}

function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== "object" || value === null) return false;
  const { kind, format, store, revision, files } = { ...emptyManifest, ...value };
  const known = kind === "OrchBackup" && format === 1 && (store === "embedded" || store === "etcd");
  return known && Number.isSafeInteger(revision) && typeof files === "object" && files !== null && areFiles(files);
}

const emptyManifest = { kind: undefined, format: undefined, store: undefined, revision: undefined, files: undefined };

/** A name leads nowhere else: a folder may have been given by others. */
function areFiles(files: object): boolean {
  return Object.entries(files).every(([name, file]) => {
    const { bytes, sha256 } = { bytes: undefined, sha256: undefined, ...file };
    return !name.split("/").includes("..") && Number.isSafeInteger(bytes) && typeof sha256 === "string";
  });
}
