import { createInterface } from "node:readline/promises";
import { type ClientConfig, readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { type Collection, isRecord } from "@orch/client/objects.js";
import { setsGroup } from "@orch/naming/naming.js";
import { boolFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { ApiError } from "@orch/status/api-error.js";
import type { World } from "../command.js";
import { print, printError } from "../print.js";
import { failed, runTool } from "../tool.js";
import { planText } from "./plan-text.js";
import { readObjectFiles } from "./read-objects.js";

export const applySetFlags = (orchconfig: string) =>
  ({
    file: listFlag([], {
      help: "files or folders of objects, YAML or JSON; - reads standard input; also -f",
    }),
    name: stringFlag("", { help: "name of the set" }),
    namespace: stringFlag("", {
      help: "namespace of the set and its objects; that of the client configuration where absent",
    }),
    cluster: boolFlag(false, { help: "a ClusterSet: objects of any namespace, and of none" }),
    adopt: boolFlag(false, { help: "objects that exist and belong to no set become members" }),
    force: boolFlag(false, { help: "take over fields that others own" }),
    "dry-run": boolFlag(false, { help: "show what would change, and change nothing" }),
    yes: boolFlag(false, { help: "do not ask" }),
    orchconfig: stringFlag(orchconfig, {
      word: "file",
      help: "client configuration that names the server; ORCHCONFIG sets the default",
    }),
  }) as const;

type Values = FlagValues<ReturnType<typeof applySetFlags>>;

const description =
  "Makes a set of the objects in files: shows what would be created, changed and deleted, asks, and applies all of it.";

/** `orch apply-set`; gives the exit code. */
export function runApplySet(argv: readonly string[], { environment }: World): Promise<number> {
  const flags = applySetFlags(environment["ORCHCONFIG"] ?? "");
  const long = argv.map((argument) => (argument === "-f" ? "--file" : argument));
  return runTool({ name: "orch apply-set", description, flags, needed: "name" }, long, async (values) => {
    if (values.file.length === 0) throw new Error("--file is needed");
    if (values.orchconfig === "") throw new Error("--orchconfig is needed, or ORCHCONFIG in the environment");
    const objects = readObjectFiles(values.file);
    const config = await readClientConfig(values.orchconfig);
    const client = createClient(config, { userAgent: "orch-apply-set" });
    try {
      return await applySet(client, { values, collection: collectionOf(values, config), objects });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      printError(`${refusalText(error)}\n`);
      return failed;
    } finally {
      await client.close();
    }
  });
}

function collectionOf({ cluster, namespace }: Values, config: ClientConfig): Collection {
  const of = { group: setsGroup, version: "v1alpha1" };
  if (cluster) return { ...of, resource: "clustersets" };
  return { ...of, resource: "sets", namespace: namespace === "" ? config.namespace : namespace };
}

interface Applied {
  readonly values: Values;
  readonly collection: Collection;
  readonly objects: readonly object[];
}

async function applySet(client: Client, { values, collection, objects }: Applied): Promise<number> {
  const { name, adopt, force, cluster } = values;
  const body = {
    apiVersion: `${setsGroup}/v1alpha1`,
    kind: cluster ? "ClusterSet" : "Set",
    metadata: { name },
    spec: { ...(adopt ? { adopt } : {}), ...(force ? { force } : {}), objects },
  };
  const patch = { type: "application/apply-patch+yaml", body, fieldManager: "orch-apply-set" };
  const { lines, changes } = planText(await client.patch(collection, name, { ...patch, dryRun: true }));
  for (const line of lines) print(`${line}\n`);
  if (values["dry-run"]) return 0;
  if (changes > 0 && !values.yes && !(await isWanted())) {
    print("nothing was changed\n");
    return failed;
  }
  const set = await client.patch(collection, name, patch);
  const status = isRecord(set["status"]) ? set["status"] : {};
  print(`set ${name}: ${String(status["phase"])}\n`);
  return 0;
}

async function isWanted(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error("nobody can be asked here: --yes applies it, --dry-run only shows it");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await lines.question("apply? [y/N] ");
    return ["y", "yes"].includes(answer.trim().toLowerCase());
  } finally {
    lines.close();
  }
}

/** The sentence of the server, and each cause on a line of its own where there are several. */
function refusalText({ message, details }: ApiError): string {
  const causes = details?.causes ?? [];
  if (causes.length < 2) return `orch apply-set: ${message}`;
  return ["orch apply-set: the server refuses it", ...causes.map((cause) => `  ${cause.field}: ${cause.message}`)].join(
    "\n",
  );
}
