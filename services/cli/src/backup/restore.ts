import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { copyBack, moveOn } from "@orch/store/backup/embedded.js";
import { type BackupManifest, BackupRefused, manifestFile, verifiedManifest } from "@orch/store/backup/manifest.js";
import { type Program, runProgram } from "./run-program.js";

/** More than a cluster writes between two backups: as many as etcd's own tools are told to take. */
const usualBump = 1_000_000_000;

export const restoreFlags = (dataDir: string) =>
  ({
    from: stringFlag("", { group: "Restore", word: "folder", help: "the backup" }),
    "data-dir": stringFlag(dataDir, {
      group: "Restore",
      word: "folder",
      help: "new data directory: of a server on the embedded store, or of an etcd member; ORCH_DATA sets the default",
    }),
    "bump-revision": intFlag(usualBump, {
      group: "Restore",
      min: 1,
      help: "how far resource versions move on, so that none is given twice: more than were given since the backup",
    }),
    etcdutl: stringFlag("etcdutl", {
      group: "etcd",
      word: "program",
      help: "etcd's own tool, 3.5.9 or newer, which restores the snapshot of a member",
    }),
    "etcdutl-args": listFlag([], {
      group: "etcd",
      help: "further arguments for it, comma separated: --name=m1,--initial-cluster=m1=https://a:2380,m2=https://b:2380",
    }),
  }) as const;

export type RestoreValues = FlagValues<ReturnType<typeof restoreFlags>>;

export interface Restored {
  readonly path: string;
  readonly store: BackupManifest["store"];
  /** From which revision on the restored cluster writes; undefined where etcd's tool knows it alone. */
  readonly revision: number | undefined;
}

/** Makes a data directory of a backup that is whole. @throws BackupRefused, StoreRefused; the system's errors */
export async function restoreBackup(values: RestoreValues): Promise<Restored> {
  const from = resolve(values.from);
  const path = resolve(values["data-dir"]);
  if (existsSync(path) && (await readdir(path)).length > 0) {
    throw new BackupRefused(`${path} is not empty: move it away, or name another --data-dir`);
  }
  const { store } = await verifiedManifest(from);
  if (store === "etcd") {
    await runProgram(etcdutl(from, path, values));
    return { path, store, revision: undefined };
  }
  const aside = `${path}.restoring-${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await mkdir(aside, { mode: 0o700 });
  try {
    for (const name of (await readdir(from)).filter((each) => each !== "store" && each !== manifestFile)) {
      await cp(join(from, name), join(aside, name), { recursive: true });
    }
    await copyBack(join(from, "store"), join(aside, "store"));
    const { revision } = await moveOn(join(aside, "store"), values["bump-revision"]);
    await rm(path, { recursive: true, force: true });
    await rename(aside, path);
    return { path, store, revision };
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
}

/** `--name=m1`, `--initial-cluster=m1=u`, `m2=v` → `--name=m1`, `--initial-cluster=m1=u,m2=v`: values have commas, too. */
function wholeArguments(parts: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const part of parts) {
    const before = part.startsWith("-") ? undefined : whole.pop();
    whole.push(before === undefined ? part : `${before},${part}`);
  }
  return whole;
}

function etcdutl(from: string, path: string, values: RestoreValues): Program {
  const bump = values["bump-revision"];
  const moving = [`--bump-revision=${bump}`, "--mark-compacted"];
  return {
    program: values.etcdutl,
    args: [
      "snapshot",
      "restore",
      join(from, "etcd.snapshot"),
      `--data-dir=${path}`,
      ...moving,
      ...wholeArguments(values["etcdutl-args"]),
    ],
    missing: "etcd's own tool restores its snapshots: install it, or name it by --etcdutl",
  };
}
