import { existsSync, readFileSync } from "node:fs";
import { chmod, cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { boolFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { etcdFlags, etcdSettings } from "@orch/runtime/flags/store-flags.js";
import { version } from "@orch/runtime/version.js";
import { copyEmbedded } from "@orch/store/backup/embedded.js";
import { copyEtcd } from "@orch/store/backup/etcd.js";
import { type BackupManifest, BackupRefused, describeFiles, manifestFile } from "@orch/store/backup/manifest.js";

const {
  "etcd-prefix": _prefix,
  "etcd-compaction-interval": _interval,
  "etcd-servers-overrides": _overrides,
  ...memberFlags
} = etcdFlags;

export const backupFlags = (dataDir: string) =>
  ({
    output: stringFlag("", {
      group: "Backup",
      word: "folder",
      help: "folder that the backup is; it must not be there yet",
    }),
    "data-dir": stringFlag(dataDir, {
      group: "Backup",
      word: "folder",
      help: "data directory of a server on the embedded store, which may run; ORCH_DATA sets the default",
    }),
    json: boolFlag(false, { group: "Backup", help: "print what was made as JSON" }),
    ...memberFlags,
  }) as const;

export type BackupValues = FlagValues<ReturnType<typeof backupFlags>>;

/** What the embedded store's server has beside it: without these a restored server is another one to its clients. */
const besideTheStore = ["pki", "admin.orchconfig"];

export interface BackupReport extends BackupManifest {
  readonly path: string;
  /** Keys of entries that were damaged already. */
  readonly damaged: readonly string[];
}

/**
 * Makes a backup: aside, and under its name once it is whole. @throws BackupRefused, StoreRefused; the system's errors
 */
export async function makeBackup(values: BackupValues, now: number): Promise<BackupReport> {
  const path = resolve(values.output);
  if (existsSync(path)) throw new BackupRefused(`${path} is there already`);
  const aside = `${path}.partial-${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await mkdir(aside, { mode: 0o700 });
  try {
    const { damaged, ...copied } =
      values["etcd-servers"].length > 0 ? await copyMember(values, aside) : await copyData(values, aside);
    const manifest: BackupManifest = {
      kind: "OrchBackup",
      format: 1,
      ...copied,
      madeAt: new Date(now).toISOString(),
      version: version.gitVersion,
      files: await describeFiles(aside),
    };
    await writeFile(join(aside, manifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(aside, path);
    return { path, ...manifest, damaged };
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
}

type Copied = Pick<BackupReport, "store" | "revision" | "damaged">;

async function copyMember(values: BackupValues, to: string): Promise<Copied> {
  const settings = etcdSettings({ ...values, "etcd-prefix": "", "etcd-compaction-interval": 0 }, (file) =>
    readFileSync(file),
  );
  const { revision } = await copyEtcd(settings, join(to, "etcd.snapshot"));
  return { store: "etcd", revision, damaged: [] };
}

async function copyData(values: BackupValues, to: string): Promise<Copied> {
  const dataDir = resolve(values["data-dir"]);
  const { revision, damaged } = await copyEmbedded(join(dataDir, "store"), join(to, "store"));
  for (const name of besideTheStore) {
    const from = join(dataDir, name);
    if (existsSync(from)) await cp(from, join(to, name), { recursive: true });
  }
  await chmod(to, 0o700);
  return { store: "embedded", revision, damaged: damaged.map(({ key }) => key) };
}
