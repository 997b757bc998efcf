import { parseArgs } from "node:util";
import { readClientConfig } from "@orch/client/config.js";
import { createDiscovery } from "@orch/client/discovery.js";
import { createClient } from "@orch/client/http/http.js";
import { createNaming, type Dialect, dialects } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import { migrateAll, resourcesToMigrate } from "./migrate-all.js";
import { type Progress, parseProgress } from "./progress.js";

const help = `usage:
  orch storage migrate [options] [RESOURCE…]   have objects stored as they would be now: in the version and under the
                                               key of today, and the records of their past under that key; all
                                               resources, or those that are named (secrets, deployments.apps)

options:
  --orchconfig FILE    the client configuration of who may list and patch them (ORCHCONFIG)
  --progress FILE      keeps how far it came; a run that was broken off goes on from there, and removes it at the end
  --api-dialect NAME   orch or kubernetes (orch)`;

const options = {
  orchconfig: { type: "string" },
  progress: { type: "string" },
  "api-dialect": { type: "string" },
  help: { type: "boolean" },
} as const;

export const storageFlags: readonly string[] = Object.keys(options);

export interface StorageWorld {
  /** Of the environment; "" where it says nothing. */
  readonly orchconfig: string;
  print(text: string): void;
  /** A file's text; undefined where there is none. */
  read(path: string): string | undefined;
  write(path: string, text: string): void;
  remove(path: string): void;
}

/** Runs `orch storage`; gives the exit status: 0 if all was done, 1 if something was not, 2 if it cannot be run. */
export async function runStorage(args: readonly string[], world: StorageWorld): Promise<number> {
  const unusable = (problem: string): number => {
    world.print(`orch storage: ${problem}`);
    return 2;
  };
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return unusable(messageOf(error));
  }
  const { values, positionals } = parsed;
  const [word, ...names] = positionals;
  if (values.help === true || word === undefined) {
    world.print(help);
    return 0;
  }
  if (word !== "migrate") return unusable(`there is no command ${word}: orch storage --help`);
  const dialect = dialectOf(values["api-dialect"] ?? "orch");
  if (dialect === undefined) return unusable(`--api-dialect: must be one of ${dialects.join(", ")}`);
  const orchconfig = values.orchconfig ?? world.orchconfig;
  if (orchconfig === "") return unusable("--orchconfig is needed, or ORCHCONFIG in the environment");
  const path = values.progress ?? "";
  const before = path === "" ? undefined : world.read(path);
  const progress = before === undefined ? { done: [] } : parseProgress(before);
  if (progress === undefined) return unusable(`--progress: ${path} is no file of progress`);
  const naming = createNaming(dialect);
  try {
    const config = await readClientConfig(orchconfig);
    const client = createClient(config, { userAgent: "orch-storage-migrate" });
    try {
      const { preferred } = await createDiscovery(client, naming).read();
      const resources = await resourcesToMigrate(preferred, { client, naming, names });
      if (!resources.ok) return unusable(resources.problem);
      const keep = (now: Progress): void => {
        if (path !== "") world.write(path, `${JSON.stringify(now)}\n`);
      };
      const failed = await migrateAll(resources.value, { client, naming, progress, keep, print: world.print });
      if (failed === 0 && path !== "") world.remove(path);
      return failed === 0 ? 0 : 1;
    } finally {
      await client.close();
    }
  } catch (error) {
    return unusable(messageOf(error));
  }
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true });

const dialectOf = (word: string): Dialect | undefined => dialects.find((each) => each === word);
