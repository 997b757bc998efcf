import assert from "node:assert/strict";
import { eventsOf as eventsOfRequest, withoutLatencies } from "./audit-bed.js";
import type { Answer, Server } from "./command-line-program.js";
import type { WebhookServer } from "./harness/servers/webhook-server.js";
import { until } from "./harness/until.js";
import { assertHas, assertMatches, edited, expand, type Row, valueAt } from "./reference-rows.js";
import { askedOf, type Review, reactionsTo } from "./reference-webhooks.js";

const tokensOf = {
  somebody: "bobs-token",
  nobody: "",
  "a stranger": "unknown",
  "an exempt user": "exempts-token",
  "a node": "nodes-token",
  "a limited user": "limiteds-token",
} as const;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Where rows are played. */
export interface Stage {
  readonly server: Server;
  /** What rows keep for later ones. */
  readonly kept: Map<string, string>;
  /** The log of audit events, where rows look at their annotations. */
  readonly auditLog?: string;
  /** Where webhooks of rows are asked. */
  readonly webhooks?: WebhookServer<Review>;
}

/** Asks what a row asks and holds the answer against it. */
export async function play(stage: Stage, row: Row): Promise<void> {
  const { server, kept, auditLog, webhooks } = stage;
  const asked = row.schema === undefined ? row : { ...row, ...definitionOf(expand(row.schema)) };
  const answer = async (): Promise<Answer> => {
    webhooks?.react(reactionsTo(row.webhooks ?? {}));
    webhooks?.asked.splice(0);
    const found = await ask(server, asked, kept);
    // What earlier rows kept may stand in the expected answer as well.
    checkAnswer(JSON.parse(filled(JSON.stringify(row), kept)), found);
    if (row.asked !== undefined) assertHas(webhooks && askedOf(webhooks), row.asked, "what webhooks are asked");
    if (row.annotations !== undefined) await checkAnnotations(row.annotations, found, auditLog);
    return found;
  };
  const { body } = row.eventually === true ? await settled(answer) : await answer();
  for (const [name, at] of Object.entries(row.keep ?? {})) kept.set(name, String(valueAt(JSON.parse(body), at)));
}

/** What comes true with time; the last failure where it does not. */
async function settled(check: () => Promise<Answer>): Promise<Answer> {
  let failure: unknown;
  const tried = (): Promise<Answer | undefined> =>
    check().catch((error: unknown) => {
      failure = error;
      return undefined;
    });
  return until("the answer is as expected", tried).catch(() => {
    throw failure;
  });
}

async function ask(server: Server, row: Row, kept: ReadonlyMap<string, string>): Promise<Answer> {
  const [method = "", path = ""] = filled(row.request ?? "", kept).split(" ");
  const body = await bodyOf(server, row, path);
  const contentType = row.contentType ?? "application/json";
  return server.ask(path, {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": contentType }), "User-Agent": "client", ...row.headers },
    ...(body === undefined ? {} : { body: filled(body, kept) }),
    ...(row.as === undefined ? {} : { token: tokensOf[row.as] }),
  });
}

async function bodyOf(server: Server, row: Row, path: string): Promise<string | undefined> {
  if (row.edit !== undefined) {
    const [object = ""] = path.split("?");
    const { body } = await server.ask(object.replace(/\/status$/, ""));
    return JSON.stringify(edited(JSON.parse(body), row.edit));
  }
  return row.body === undefined ? row.bodyText : JSON.stringify(expand(row.body));
}

/** The definition of a resource with a schema, of which nothing is to become. */
function definitionOf(openAPIV3Schema: unknown): Pick<Row, "request" | "body"> {
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const names = { plural: "shapes", kind: "Shape" };
  return {
    request: `POST ${definitions}?dryRun=All`,
    body: {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name: "shapes.schema.example.com" },
      spec: { group: "schema.example.com", scope: "Namespaced", names, versions },
    },
  };
}

function filled(text: string, kept: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => kept.get(name) ?? assert.fail(`nothing kept as ${name}`));
}

function checkAnswer(row: Row, answer: Answer): void {
  assert.equal(answer.status, row.status, answer.body.slice(0, 2000));
  for (const [name, value] of Object.entries(row.answerHeaders ?? {})) {
    assertMatches(answer.headers[name], value, `the header ${name}`);
  }
  if (row.warnings !== undefined) assert.deepEqual(warningsOf(answer), row.warnings);
  if (row.text !== undefined) assertMatches(answer.body, row.text, "the body");
  if (row.events !== undefined) assertHas(eventsOf(answer.body), row.events, "the events");
  if (row.object !== undefined) assertHas(JSON.parse(answer.body), row.object, "the answer");
  for (const [path, expected] of Object.entries(row.at ?? {})) {
    assertMatches(valueAt(JSON.parse(answer.body), path) ?? null, expected, path);
  }
  if (row.reason !== undefined) checkStatus(row, JSON.parse(answer.body));
}

function checkStatus(row: Row, status: Record<string, unknown>): void {
  const { kind, apiVersion, metadata, code } = status;
  assert.deepEqual(
    { kind, apiVersion, metadata, status: status["status"], code },
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: row.status },
  );
  assert.equal(status["reason"], row.reason);
  assertMatches(status["message"], row.message, "message");
  assertMatches(status["details"], row.details, "details");
}

/** Who allowed a request is another here. */
async function checkAnnotations(expected: unknown, { headers }: Answer, auditLog: string | undefined): Promise<void> {
  assert.ok(auditLog !== undefined, "audit events are logged");
  const [event] = await eventsOfRequest(auditLog, String(headers["audit-id"]), 1);
  const annotations = event?.annotations ?? {};
  const tells = "apiserver.latency.k8s.io/total" in Object(expected);
  const noted = Object.entries(tells ? annotations : withoutLatencies(annotations));
  const others = noted.filter(([key]) => !key.startsWith("authorization.k8s.io/"));
  assertMatches(Object.fromEntries(others), expected, "the annotations");
}

function eventsOf(body: string): readonly unknown[] {
  return body.split("\n").flatMap((line): unknown[] => (line === "" ? [] : [JSON.parse(line)]));
}

function warningsOf({ rawHeaders }: Answer): readonly string[] {
  const values = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "warning");
  return values.map((value) => Buffer.from(value, "latin1").toString("utf8"));
}
