import { readClientConfig } from "@orch/client/config.js";
import { listAll } from "@orch/client/list-all.js";
import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { type Cluster, collections, openCluster } from "../cluster.js";
import { type CommandNode, command, group } from "../command-line.js";
import { newToken } from "../configuration/facts.js";
import { pathsOf } from "../machine/paths.js";
import { joinCommand } from "../objects/join-command.js";
import { namesOf, tokenSecretName } from "../objects/names.js";
import { tokenSecret } from "../objects/tokens.js";
import { printAs } from "../output/print-as.js";
import { table } from "../output/table.js";
import type { Tools } from "../world.js";
import { createFlags, deleteFlags, listFlags } from "./flags.js";
import { newTokens } from "./new-tokens.js";
import { shownToken, storedToken, tokenColumns, tokenRow } from "./stored-token.js";

/** Where the administrator's client configuration lies, as processes find it. */
const clientConfigOf = (given: string, { machine, naming }: Tools): string =>
  given === "" ? machine.at(pathsOf(naming).clientConfig("admin")) : given;

async function withCluster<T>(given: string, tools: Tools, use: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = await openCluster(clientConfigOf(given, tools));
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}

const secretsOf = ({ naming }: Tools) => collections.secrets(namesOf(naming).systemNamespace);

const create = command({
  word: "create",
  description: "Makes a token by which machines join, and prints it",
  flags: createFlags,
  takes: "[token]",
  async run(line, tools) {
    const { values } = line;
    const tokens = newTokens(line, tools);
    const [{ token }] = tokens;
    if (tokens.some(({ ttl }) => ttl !== undefined && Number.parseFloat(ttl) === 0)) {
      tools.printError("[token] WARNING: a token without an end lets whoever learns of it join for ever\n");
    }
    if (values["dry-run"]) {
      for (const each of tokens)
        tools.print(`[dryrun] Would create the Secret ${JSON.stringify(tokenSecretName(idOf(each.token)))}\n`);
    } else {
      await withCluster(values.kubeconfig, tools, async ({ client }) => {
        for (const each of tokens) {
          const secret = tokenSecret(each, { naming: tools.naming, now: tools.clock.now() });
          await client.create(secretsOf(tools), secret).catch((error: unknown) => {
            if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
            throw new Error(`a token with id ${JSON.stringify(idOf(each.token))} already exists`);
          });
        }
      });
    }
    tools.print(`${values["print-join-command"] ? await commandFor(token, values, tools) : token}\n`);
    return 0;
  },
});

async function commandFor(
  token: string,
  values: { readonly kubeconfig: string; readonly "certificate-key": string },
  tools: Tools,
): Promise<string> {
  const file = clientConfigOf(values.kubeconfig, tools);
  const { server, ca } = await readClientConfig(file);
  if (ca === undefined)
    throw new Error(`${file} names no authority by which a machine that joins could know the server`);
  const certificateKey = values["certificate-key"];
  const more = certificateKey === "" ? {} : { isControlPlane: true, certificateKey };
  return joinCommand({ server, token, ca, ...more }, tools.naming);
}

const list = command({
  word: "list",
  description: "Lists the tokens by which machines join",
  flags: listFlags,
  async run({ values }, tools) {
    const print = printAs(values.output);
    const type = namesOf(tools.naming).tokenType;
    const secrets = await withCluster(values.kubeconfig, tools, ({ client }) =>
      listAll(client, secretsOf(tools), { fieldSelector: `type=${type}` }),
    );
    const tokens = secrets.items.flatMap((secret: ApiObject) => {
      try {
        return storedToken(secret);
      } catch (error) {
        tools.printError(`${messageOf(error)}\n`);
        return [];
      }
    });
    // Each is a document of its own.
    const between = values.output === "yaml" ? "---\n" : "";
    if (print !== undefined) tools.print(tokens.map((token) => print(shownToken(token, tools.naming))).join(between));
    else if (tokens.length > 0) {
      const now = tools.clock.now();
      tools.print(table([tokenColumns, ...tokens.map((token) => tokenRow(token, now))]));
    }
    return 0;
  },
});

const idShape = /^[a-z0-9]{6}$/;
const tokenShape = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;
const [idText, tokenText] = ["\\A[a-z0-9]{6}\\z", "\\A([a-z0-9]{6})\\.([a-z0-9]{16})\\z"].map((text) =>
  JSON.stringify(text),
);

const idOf = (token: string): string => token.slice(0, token.indexOf("."));

const remove = command({
  word: "delete",
  description: "Deletes tokens: nobody joins by them any more",
  flags: deleteFlags,
  takes: "[token-value] ...",
  async run({ values, words }, tools) {
    if (words.length === 0) {
      throw new Error(`missing argument; 'token delete' is missing token of form ${idText} or ${tokenText}`);
    }
    const ids = words.map((word) => {
      if (idShape.test(word)) return word;
      if (tokenShape.test(word)) return idOf(word);
      throw new Error(
        `given token or token id ${JSON.stringify(word.slice(0, 100))} didn't match pattern ${idText} or ${tokenText}`,
      );
    });
    if (values["dry-run"]) {
      for (const id of ids) tools.print(`[dryrun] Would delete the Secret ${JSON.stringify(tokenSecretName(id))}\n`);
      return 0;
    }
    await withCluster(values.kubeconfig, tools, async ({ client }) => {
      for (const id of ids) {
        await client.delete(secretsOf(tools), tokenSecretName(id)).catch((error: unknown) => {
          throw new Error(`failed to delete bootstrap token ${JSON.stringify(id)}: ${messageOf(error)}`, {
            cause: error,
          });
        });
        tools.print(`bootstrap token ${JSON.stringify(id)} deleted\n`);
      }
    });
    return 0;
  },
});

const generate = command({
  word: "generate",
  description: "Prints a new token and stores it nowhere: for configuration files",
  flags: {},
  async run(_line, { print }) {
    print(`${newToken()}\n`);
    return 0;
  },
});

export const tokenCommand: CommandNode = group({
  word: "token",
  description: "Manages the tokens by which machines join",
  commands: [create, remove, generate, list],
});
