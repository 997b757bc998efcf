import { homedir } from "node:os";
import { join } from "node:path";
import { stringFlag } from "@orch/runtime/flags/flag-types.js";
import { printError } from "../print.js";
import { failed, runTool } from "../tool.js";
import { makeAssets } from "./assets.js";

export interface PathWorld {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** The file of the program that the folder's programs start. */
  readonly script: string;
  readonly platform: NodeJS.Platform;
}

const tool = {
  name: "orch-envtest path",
  description: "Makes the folder for KUBEBUILDER_ASSETS and prints its path.",
  flags: {
    "bin-dir": stringFlag("", {
      group: "Output",
      word: "folder",
      help: "the folder; one in the user's cache folder (XDG_CACHE_HOME) where empty",
    }),
  },
};

/** `orch-envtest path`; its exit code. */
export function assetsCommand(argv: readonly string[], { environment, script, platform }: PathWorld): Promise<number> {
  return runTool(tool, argv, async (values) => {
    if (platform === "win32") {
      printError(`${tool.name}: its programs are shell scripts, which this system does not start\n`);
      return failed;
    }
    const cache = environment["XDG_CACHE_HOME"] || join(homedir(), ".cache");
    const world = { node: process.execPath, script, path: environment["PATH"] ?? "", cache };
    const { path, kubectl } = makeAssets(world, values["bin-dir"] || undefined);
    if (kubectl === undefined)
      printError(`${tool.name}: there is no kubectl on the path: tests that run it will not find it\n`);
    process.stdout.write(`${path}\n`);
    return 0;
  });
}
