import { parseArgs } from "node:util";
import type { ApiResource } from "@orch/client/discovery.js";
import { isRecord, pathOf } from "@orch/client/objects.js";
import { splitDocuments } from "@orch/codec/configuration-document.js";
import { parseYaml, printYaml } from "@orch/codec/yaml/yaml.js";
import { ApiError } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { explanationText, fieldsOf } from "./explanation-text.js";
import {
  type ExplainWorld,
  inSession,
  printable,
  type Session,
  sessionHelp,
  sessionOptions,
  Unusable,
} from "./session.js";

const help = `usage:
  orch explain-write [options] -f FILE   tells what would become of each object of a file, stage by stage: what changes it and
                                         who, who allows it or refuses it, who owns which field; nothing is written

options:
  -f, --filename FILE   objects, YAML or JSON; - for standard input
  --server-side         as a server-side apply; otherwise what is there is replaced, and created where it is not
  --force-conflicts     the apply takes over fields of others
  --field-manager NAME  whose fields they become
  --subresource NAME    a part of what is there (status, scale)
  -o, --output FORM     text, json or yaml (text)
${sessionHelp}

It ends with 0 if all would be written, 1 if something would be refused, 2 if it cannot be told.`;

const options = {
  ...sessionOptions,
  filename: { type: "string", short: "f" },
  "server-side": { type: "boolean" },
  "force-conflicts": { type: "boolean" },
  "field-manager": { type: "string" },
  subresource: { type: "string" },
} as const;

export const explainWriteFlags: readonly string[] = Object.keys(options);

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: false }).values;
type Values = ReturnType<typeof parse>;

/** Runs `orch explain-write`; gives the exit status. */
export async function runExplainWrite(args: readonly string[], world: ExplainWorld): Promise<number> {
  try {
    const values = parse(args);
    if (values.help === true) {
      world.print(help);
      return 0;
    }
    return await explainFile(values, world);
  } catch (error) {
    world.print(printable(`orch explain-write: ${messageOf(error)}`));
    return 2;
  }
}

/** @throws Unusable, ApiError */
async function explainFile(values: Values, world: ExplainWorld): Promise<number> {
  const { filename = "", output = "text" } = values;
  if (filename === "") throw new Unusable("-f FILE is needed");
  const show = shows.get(output);
  if (show === undefined) throw new Unusable("--output: must be text, json or yaml");
  const objects = objectsOf(filename, world);
  return inSession({ values, world, agent: "orch-explain-write" }, async (session) => {
    const told: unknown[] = [];
    for (const object of objects) told.push(await explainObject(session, object, values));
    const isJson = output === "json";
    world.print(
      isJson ? show(told.length === 1 ? told[0] : told) : told.map(show).join(output === "yaml" ? "---\n" : "\n\n"),
    );
    return told.every((document) => fieldsOf(document)["outcome"] !== "refused") ? 0 : 1;
  });
}

const shows: ReadonlyMap<string, (document: unknown) => string> = new Map([
  ["text", explanationText],
  ["json", (document: unknown) => jsonText(document, 2)],
  ["yaml", (document: unknown) => printYaml(fieldsOf(document))],
]);

type ObjectOfFile = Readonly<Record<string, unknown>>;

function objectsOf(filename: string, world: ExplainWorld): readonly ObjectOfFile[] {
  const objects = splitDocuments(world.read(filename)).flatMap((text): readonly ObjectOfFile[] => {
    const read = parseYaml(Buffer.from(text));
    if (!read.ok) throw new Unusable(`${filename}: ${read.problem}`);
    if (read.value === null || read.value === undefined) return [];
    if (!isRecord(read.value)) throw new Unusable(`${filename}: a document is no object`);
    return [read.value];
  });
  if (objects.length === 0) throw new Unusable(`${filename}: there is no object in it`);
  return objects;
}

/** What would become of one; one that may not even be written is told as an explanation, too. */
async function explainObject(session: Session, object: ObjectOfFile, values: Values): Promise<unknown> {
  const target = targetOf(session, object);
  const { name } = target;
  const isApply = values["server-side"] === true;
  if (isApply || values.subresource !== undefined) {
    if (name === "") throw new Unusable("the object has no name");
    return ask(session, target, isApply ? applying(object, values) : { method: "PUT", body: jsonText(object), values });
  }
  const created = await ask(session, target, { method: "POST", body: jsonText(object), values });
  const { status } = fieldsOf(fieldsOf(created)["refusal"]);
  if (name === "" || fieldsOf(status)["reason"] !== "AlreadyExists") return created;
  return ask(session, target, { method: "PUT", body: jsonText(object), values });
}

interface Target {
  readonly resource: ApiResource;
  readonly name: string;
  readonly namespace: string | undefined;
}

function targetOf({ all, namespace }: Session, object: ObjectOfFile): Target {
  const { apiVersion, kind, metadata } = object;
  const resource = all.find((one) => one.kind === kind && versionOf(one) === apiVersion);
  if (resource === undefined) throw new Unusable(`the server has no ${String(apiVersion)} ${String(kind)}`);
  const { name, namespace: own } = fieldsOf(metadata);
  const within = typeof own === "string" && own !== "" ? own : namespace;
  return { resource, name: typeof name === "string" ? name : "", namespace: resource.namespaced ? within : undefined };
}

const versionOf = ({ group, version }: ApiResource): string => (group === "" ? version : `${group}/${version}`);

interface Asking {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly body: string;
  readonly values: Values;
  readonly force?: boolean;
}

function applying(object: ObjectOfFile, values: Values): Asking {
  return { method: "PATCH", body: jsonText(object), values, force: values["force-conflicts"] === true };
}

async function ask(session: Session, { resource, name, namespace }: Target, asking: Asking): Promise<unknown> {
  const { method, body, values, force } = asking;
  const { group, version, resource: plural } = resource;
  const collection = { group, version, resource: plural, ...(namespace === undefined ? {} : { namespace }) };
  const isApply = method === "PATCH";
  const manager = values["field-manager"] ?? (isApply ? "orch" : undefined);
  try {
    const answer = await session.client.raw({
      method,
      path: method === "POST" ? pathOf(collection) : pathOf(collection, name, values.subresource),
      query: { explain: true, dryRun: "All", fieldManager: manager, force: force === true ? true : undefined },
      headers: { "content-type": isApply ? "application/apply-patch+yaml" : "application/json" },
      body,
    });
    const document: unknown = readJson(answer.body.toString("utf8"));
    if (fieldsOf(document)["kind"] === "WriteExplanation") return document;
    throw new Unusable("the server explains no writes: it answered the object of a dry run");
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "Forbidden") throw error;
    return notAllowed(error, { method, plural, name, namespace });
  }
}

/** As the server would say it if who may not write could be told more. */
function notAllowed(
  error: ApiError,
  of: {
    readonly method: string;
    readonly plural: string;
    readonly name: string;
    readonly namespace: string | undefined;
  },
): object {
  const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };
  return {
    kind: "WriteExplanation",
    metadata: { name: of.name, ...(of.namespace === undefined ? {} : { namespace: of.namespace }) },
    request: { verb: verbs[of.method], resource: of.plural },
    authorization: { allowed: false, reason: error.message },
    outcome: "refused",
    refusal: { stage: "authorize", status: error.toStatus() },
    stages: [],
  };
}
