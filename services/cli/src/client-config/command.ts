import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type ClientConfig, printClientConfig, readClientConfig } from "@orch/client/config.js";
import { createNaming, dialects, type Naming } from "@orch/naming/naming.js";
import { issueClient } from "@orch/pki/certificates.js";
import { isUsable, type KeyPair } from "@orch/pki/key-pair.js";
import { intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { print } from "../print.js";
import { runTool } from "../tool.js";

const mostDays = 3650;

export const clientConfigFlags = (dataDir: string) =>
  ({
    "data-dir": stringFlag(dataDir, {
      word: "folder",
      help: "data directory of the one process, whose authority signs; ORCH_DATA sets the default",
    }),
    user: stringFlag("", {
      help: "for whom a client certificate is issued; without one it is the administrator's file",
    }),
    group: listFlag([], { help: "groups of that user, comma separated" }),
    days: intFlag(365, { min: 1, max: mostDays, help: "how long the certificate is good" }),
    server: stringFlag("", { word: "url", help: "where clients reach the server; as it says itself where absent" }),
    output: stringFlag("", { word: "file", help: "file to write, mode 0600; standard output where absent" }),
  }) as const;

type Values = FlagValues<ReturnType<typeof clientConfigFlags>>;

const description = "Prints a client configuration (kubeconfig) for a server of one process.";

/** `orch kubeconfig`; gives the exit code. */
export function runClientConfig(
  argv: readonly string[],
  { dataDir, now }: { readonly dataDir: string; readonly now: () => number },
): Promise<number> {
  return runTool({ name: "orch kubeconfig", description, flags: clientConfigFlags(dataDir) }, argv, async (values) => {
    const text = await clientConfigText(values, now());
    if (values.output === "") print(text);
    else await writeFile(values.output, text, { mode: 0o600, flag: "wx" });
    return 0;
  });
}

/** @throws Error in one line */
async function clientConfigText(values: Values, now: number): Promise<string> {
  const folder = resolve(values["data-dir"]);
  const path = join(folder, "admin.orchconfig");
  const admin = await readClientConfig(path);
  const naming = await namingOf(path);
  const server = values.server || admin.server;
  if (!URL.canParse(server) || new URL(server).protocol !== "https:")
    throw new Error(`--server: ${server} is no https address`);
  const { ca = "", ...own } = admin;
  const shared = { naming, server: server.endsWith("/") ? server.slice(0, -1) : server, ca };
  if (values.user === "") {
    if (values.group.length > 0) throw new Error("--group needs --user");
    return printClientConfig({ ...shared, user: "admin", ...credentialsOf(own) });
  }
  const authority = await authorityOf(folder, now);
  const pair = await issueClient(authority, { name: values.user, groups: values.group, days: values.days }, now);
  return printClientConfig({ ...shared, user: values.user, ...pair });
}

/** The dialect of a file that one of ours wrote. */
async function namingOf(path: string): Promise<Naming> {
  const [first = ""] = (await readFile(path, "utf8")).split("\n", 1);
  const namings = dialects.map((dialect) => createNaming(dialect));
  const naming = namings.find(({ clientConfigApiVersion }) => first === `apiVersion: ${clientConfigApiVersion}`);
  if (naming === undefined) throw new Error(`${path}: its first line names no apiVersion of a client configuration`);
  return naming;
}

async function authorityOf(folder: string, now: number): Promise<KeyPair> {
  const file = (name: string): Promise<string> => readFile(join(folder, "pki", name), "utf8");
  const pair = { certificate: await file("ca.crt"), key: await file("ca.key") };
  if (!isUsable(pair, pair, now)) throw new Error(`the authority in ${join(folder, "pki")} is damaged or at its end`);
  return pair;
}

function credentialsOf({ certificate, key, token }: Omit<ClientConfig, "ca">) {
  return {
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
  };
}
