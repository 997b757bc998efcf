import { isObject } from "@orch/schema/descriptor.js";
import { validateLabels } from "@orch/schema/object-meta.js";
import { ApiError } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { showValue } from "@orch/status/show-value.js";
import type { Span } from "@orch/status/span.js";
import type { ConversionWebhook, Kind } from "../catalog.js";
import type { WebhookClientConfig } from "../kinds/shared/webhook-client.js";
import type { AnyObject } from "../object.js";

/**
 * Makes objects of other versions into objects of `to`, in their order; `span` is what needs them, where that is traced.
 * @throws ApiError InternalError
 */
export type Convert = (to: Kind, objects: readonly AnyObject[], span?: Span) => Promise<readonly AnyObject[]>;

/** Asks a webhook: JSON by POST. @throws Error whose message says what went wrong */
export type CallWebhook = (call: WebhookCall) => Promise<Buffer>;

export interface WebhookCall {
  readonly client: WebhookClientConfig;
  readonly body: Buffer;
  readonly timeoutMs: number;
  /** The question itself, where it is traced: the webhook is told. */
  readonly span?: Span | undefined;
}

export interface ConverterDeps {
  /** Of definitions, in which reviews are too. */
  readonly group: string;
  readonly call: CallWebhook;
  readonly newUid: () => string;
  /** Told of each question to a webhook. */
  readonly observer?: ConversionObserver | undefined;
}

/** Called when a webhook is asked; what it returns, with what came of it. */
export type ConversionObserver = (asked: ConversionAsked) => (failure: ConversionFailure | undefined) => void;

export interface ConversionAsked {
  /** Of the definition. */
  readonly name: string;
  readonly fromVersion: string;
  readonly toVersion: string;
}

/** It gave no answer, none that is one, or objects that are none. */
export type ConversionFailure = "call" | "malformed" | "object";

const timeoutMs = 30_000;
/** Of one question: a long list is many, so that neither side holds all of it twice. */
export const mostOfQuestion = { objects: 500, bytes: 1 << 20 } as const;

/** Converts by the webhooks of definitions (ConversionReview). */
export function createConverter(deps: ConverterDeps): Convert {
  return async (to, objects, span) => {
    const webhook = to.custom?.webhook;
    if (webhook === undefined) throw new TypeError(`no webhook converts ${to.apiVersion} ${to.kind}`);
    const converted: AnyObject[] = [];
    while (converted.length < objects.length) {
      const asked = { to, webhook, uid: deps.newUid(), ...question(objects, converted.length) };
      const answered = span === undefined ? convertOnce(asked, deps) : convertTraced(asked, deps, span);
      for (const object of await answered) converted.push(object);
    }
    return converted;
  };
}

/** A state as it is stored: its revision is no matter of the webhook's. */
function questionText(object: AnyObject): string {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return JSON.stringify({ ...object, metadata });
}

/** As many objects from `begin` on as go into one question, and their texts; one of any size goes. */
function question(objects: readonly AnyObject[], begin: number): Pick<Asked, "objects" | "texts"> {
  const texts: string[] = [];
  let room: number = mostOfQuestion.bytes;
  for (const object of objects.slice(begin, begin + mostOfQuestion.objects)) {
    const text = questionText(object);
    room -= text.length;
    if (room < 0 && texts.length > 0) break;
    texts.push(text);
  }
  return { objects: objects.slice(begin, begin + texts.length), texts };
}

interface Asked {
  readonly to: Kind;
  readonly webhook: ConversionWebhook;
  readonly uid: string;
  readonly objects: readonly AnyObject[];
  /** Their JSON. */
  readonly texts: readonly string[];
}

/** A span by the reference's name. */
async function convertTraced(asked: Asked, deps: ConverterDeps, parent: Span): Promise<readonly AnyObject[]> {
  const { to, uid, objects } = asked;
  const span = parent.child("Call conversion webhook", {
    "custom-resource-definition": `${to.plural}.${to.group}`,
    "desired-api-version": to.apiVersion,
    "object-count": objects.length,
    UID: uid,
  });
  try {
    const converted = await convertOnce(asked, deps, span);
    span.end();
    return converted;
  } catch (error) {
    span.end(messageOf(error));
    throw error;
  }
}

const known = ["v1", "v1beta1"];

async function convertOnce(
  asked: Asked,
  { group, call, observer }: ConverterDeps,
  span?: Span,
): Promise<readonly AnyObject[]> {
  const { to, webhook, uid, objects, texts } = asked;
  const ended = observer?.(toldOf(to, objects));
  // Most of what is told the webhook has chosen.
  const fail = (why: string, failure: ConversionFailure = "malformed"): never => {
    ended?.(failure);
    throw internal(`conversion webhook for ${nameOf(objects[0])} ${cut(why)}`);
  };
  const version = webhook.reviewVersions.find((one) => known.includes(one));
  if (version === undefined)
    return fail("failed: the webhook knows no version of ConversionReview that this server speaks");
  const apiVersion = `${group}/${version}`;
  const head = JSON.stringify({ uid, desiredAPIVersion: to.apiVersion }).slice(0, -1);
  const body = `{"kind":"ConversionReview","apiVersion":${JSON.stringify(apiVersion)},"request":${head},"objects":[${texts.join(",")}]}}`;
  const bytes = await call({ client: webhook.client, body: Buffer.from(body), timeoutMs, span }).catch(
    (error: unknown) => fail(`failed: ${error instanceof Error ? error.message : String(error)}`, "call"),
  );
  span?.event("Request completed");
  const review = parsed(bytes);
  if (review === undefined) return fail("failed: couldn't get version/kind; the answer is no JSON object");
  const answered = answersOf(review, { apiVersion, uid });
  if (typeof answered === "string") return fail(`failed: ${answered}`);
  if (answered.length !== objects.length)
    return fail(`returned ${answered.length} objects, expected ${objects.length}`);
  const made = objects.map((object, i) => {
    const one = restored(object, answered[i], { to, at: i });
    return typeof one === "string" ? fail(one, "object") : one;
  });
  ended?.(undefined);
  return made;
}

function toldOf({ group, plural, version }: Kind, [first]: readonly AnyObject[]): ConversionAsked {
  const fromVersion = first?.apiVersion?.split("/").at(-1) ?? "";
  return { name: `${plural}.${group}`, fromVersion, toVersion: version };
}

/** What the webhook converted, or why there is nothing. */
function answersOf(
  review: Readonly<Record<string, unknown>>,
  expected: { readonly apiVersion: string; readonly uid: string },
): readonly unknown[] | string {
  const { kind, apiVersion, response } = review;
  if (kind !== "ConversionReview" || apiVersion !== expected.apiVersion) {
    return `expected webhook response of ${kindText(expected.apiVersion, "ConversionReview")}, got ${kindText(apiVersion, kind)}`;
  }
  if (!isObject(response)) return "no response provided";
  const { uid, result, convertedObjects } = response;
  if (uid !== expected.uid)
    return `expected response.uid=${JSON.stringify(expected.uid)}, got ${JSON.stringify(cut(text(uid), shortText))}`;
  const { status, message } = isObject(result) ? result : noResult;
  if (status !== "Success") {
    return text(message) === ""
      ? `response.result.status was '${cut(text(status), shortText)}', not 'Success'`
      : text(message);
  }
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

/** Of several texts in one sentence. */
const shortText = 256;

const noResult: { readonly status?: unknown; readonly message?: unknown } = {};

/** The converted object with the metadata that it had; of the webhook's only labels and annotations are taken. */
function restored(
  original: AnyObject,
  converted: unknown,
  { to, at }: { readonly to: Kind; readonly at: number },
): AnyObject | string {
  if (!isObject(converted)) return `returned invalid object at index ${at}: no object`;
  const { apiVersion, kind } = converted;
  // The reference tells this one without whose webhook it was.
  if (text(kind) === "") throw internal(`Object 'Kind' is missing in '${cut(showValue(converted))}'`);
  const invalid = `returned invalid object at index ${at}`;
  if (apiVersion !== to.apiVersion) {
    return `${invalid}: invalid groupVersion (expected ${to.apiVersion}, received ${text(apiVersion)})`;
  }
  if (kind !== to.kind) return `${invalid}: invalid kind (expected ${to.kind}, received ${text(kind)})`;
  const metadata = isObject(converted["metadata"]) ? converted["metadata"] : {};
  for (const [name, what] of identity) {
    const [was, is] = [text(original.metadata[name]), text(metadata[name])];
    if (was !== is) return `returned invalid object: must have the same ${what}: ${was} != ${is}`;
  }
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  const taken = takenMetadata(metadata);
  if (typeof taken === "string") return `returned invalid metadata: ${taken}`;
  return { ...converted, kind: to.kind, apiVersion: to.apiVersion, metadata: { ...kept, ...taken } };
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

type Texts = Readonly<Record<string, string>>;

function takenMetadata(metadata: Readonly<Record<string, unknown>>): { labels?: Texts; annotations?: Texts } | string {
  const labels = textsOf(metadata["labels"]);
  const annotations = textsOf(metadata["annotations"]);
  if (labels === undefined) return "metadata.labels: must be a map of texts";
  if (annotations === undefined) return "metadata.annotations: must be a map of texts";
  const [wrong] = validateLabels(labels, "metadata.labels");
  if (wrong !== undefined) return `${wrong.field}: ${wrong.message}`;
  return {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** Undefined for what is no map of texts. */
function textsOf(value: unknown): Texts | undefined {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return undefined;
  const texts: Record<string, string> = {};
  for (const [key, one] of Object.entries(value)) {
    if (typeof one !== "string") return undefined;
    texts[key] = one;
  }
  return texts;
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = readJson(bytes.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `example.com/v1, Kind=Widget`. */
function nameOf(object: AnyObject | undefined): string {
  return kindText(object?.["apiVersion"], object?.["kind"]);
}

function kindText(apiVersion: unknown, kind: unknown): string {
  const version = text(apiVersion);
  return `${version === "" ? "/" : version}, Kind=${text(kind)}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** As the reference answers it: 500, without the sentence that other internal errors begin with. */
function internal(message: string): ApiError {
  return new ApiError("InternalError", message);
}
