import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { boolFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { type FlagValues, readCommandLine, usageExit } from "@orch/runtime/flags/flags.js";
import { version } from "@orch/runtime/version.js";
import { messageOf } from "@orch/status/message-of.js";
import { checkStore } from "@orch/store/check-store.js";
import { isWell, reportText } from "./report.js";

/** Exit codes: all is well; something is damaged and still is, or there is no whole database; a wrong command line is 2. */
const [well, damaged] = [0, 1];

export const checkFlags = (dataDir: string) =>
  ({
    "data-dir": stringFlag(dataDir, {
      word: "folder",
      help: "data directory of a server that does not run; ORCH_DATA sets the default",
    }),
    json: boolFlag(false, { help: "print the report as JSON" }),
    repair: boolFlag(false, {
      help: "forget history that is damaged, and restore damaged entries and records of objects' past from --backup",
    }),
    backup: stringFlag("", {
      word: "path",
      help: "with --repair: data directory, or data.mdb, to take lost entries from",
    }),
    remove: boolFlag(false, { help: "with --repair: delete damaged entries that no backup has" }),
  }) as const;

export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** `orch check`: what a data directory holds and whether all of it is whole; the exit code. */
export async function runCheck(argv: readonly string[], { out, err }: Output, defaultDataDir: string): Promise<number> {
  const program = {
    name: "orch check",
    description:
      "Reads all of the embedded store of a server that does not run, and tells what is damaged.\nExits with 0 when all is well, 1 when something is damaged or cannot be opened, 2 for a wrong command line.",
    version: version.gitVersion,
    flags: checkFlags(defaultDataDir),
  };
  const line = readCommandLine(program, argv);
  if (!line.run) {
    (line.exitCode === 0 ? out : err)(line.text);
    return line.exitCode;
  }
  const { values } = line;
  if (!values.repair && (values.backup !== "" || values.remove)) {
    err("orch check: --backup and --remove need --repair\n");
    return usageExit;
  }
  try {
    const report = await checkStore(optionsOf(values));
    out(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
    return isWell(report) ? well : damaged;
  } catch (error) {
    const text = messageOf(error);
    if (values.json)
      out(`${JSON.stringify({ path: resolve(values["data-dir"], "store"), error: text }, undefined, 2)}\n`);
    err(`orch check: ${text}\n`);
    return damaged;
  }
}

function optionsOf(values: FlagValues<ReturnType<typeof checkFlags>>): Parameters<typeof checkStore>[0] {
  const path = resolve(values["data-dir"], "store");
  if (!values.repair) return { path };
  return {
    path,
    mend: { backup: values.backup === "" ? undefined : dataFileOf(values.backup), remove: values.remove },
  };
}

/** A data directory stands for the database in it. */
function dataFileOf(given: string): string {
  const path = resolve(given);
  for (const file of [join(path, "store", "data.mdb"), join(path, "data.mdb")]) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return file;
  }
  return path;
}
