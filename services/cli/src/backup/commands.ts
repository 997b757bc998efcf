import { print, printError } from "../print.js";
import { failed, runTool } from "../tool.js";
import { backupFlags, makeBackup } from "./backup.js";
import { restoreBackup, restoreFlags } from "./restore.js";

/** `orch backup`; gives the exit code: 1 where nothing was made, or what was made holds damaged entries. */
export function runBackup(
  argv: readonly string[],
  { dataDir, now }: { readonly dataDir: string; readonly now: () => number },
): Promise<number> {
  const description = "Copies the data of a cluster while it serves, and reads the copy through.";
  return runTool(
    { name: "orch backup", description, flags: backupFlags(dataDir), needed: "output" },
    argv,
    async (values) => {
      const report = await makeBackup(values, now());
      const { path, revision, damaged, files } = report;
      const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
      if (values.json) print(`${JSON.stringify(report, undefined, 2)}\n`);
      else print(`${path}: revision ${revision}, ${Object.keys(files).length} files, ${bytes} bytes\n`);
      if (damaged.length === 0) return 0;
      printError(`orch backup: ${damaged.length} entries were damaged already: orch check tells which\n`);
      return failed;
    },
  );
}

/** `orch restore`; gives the exit code. */
export function runRestore(argv: readonly string[], dataDir: string): Promise<number> {
  const description = "Makes a new data directory of a backup whose files are as they were written.";
  return runTool(
    { name: "orch restore", description, flags: restoreFlags(dataDir), needed: "from" },
    argv,
    async (values) => {
      const { path, revision } = await restoreBackup(values);
      print(`${path}${revision === undefined ? "" : `: resource versions go on behind ${revision}`}\n`);
      return 0;
    },
  );
}
