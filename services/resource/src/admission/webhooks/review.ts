import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { ApiError, type StatusDetails } from "@orch/status/api-error.js";
import { cut, quoted } from "@orch/status/cut.js";
import type { Cause } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { readJson } from "@orch/status/read-json.js";
import { type Question, requestTree, type Shown } from "../matching/question.js";
import type { Hook } from "./hook.js";

/** What a webhook says of a write. */
export interface Verdict {
  readonly allowed: boolean;
  readonly result: JsonObject | undefined;
  /** A JSON patch, parsed; undefined for none. */
  readonly patch: unknown;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** A question that no webhook answered as it must; the message says why. */
export class ReviewError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ReviewError";
  }
}

const known = ["v1", "v1beta1"];

export interface Review {
  readonly apiVersion: string;
  readonly uid: string;
  readonly body: Buffer;
}

interface ReviewOf {
  /** `admission.…`. */
  readonly group: string;
  readonly uid: string;
}

/** @throws ReviewError where the webhook speaks no version that is known */
export function reviewFor(hook: Hook, question: Question, shown: Shown, { group, uid }: ReviewOf): Review {
  const version = hook.reviewVersions.find((one) => known.includes(one));
  if (version === undefined) {
    throw new ReviewError(
      `could not create admission objects: webhook does not accept known AdmissionReview versions (${known.join(", ")})`,
    );
  }
  const apiVersion = `${group}/${version}`;
  const { dryRun, options, ...request } = requestTree(question, shown, uid);
  const { object = null, old: oldObject = null } = shown;
  const review = { kind: "AdmissionReview", apiVersion, request: { ...request, object, oldObject, dryRun, options } };
  return { apiVersion, uid, body: Buffer.from(jsonText(review)) };
}

const invalid = (why: string): ReviewError => new ReviewError(`received invalid webhook response: ${why}`);
const unread = (why: string): ReviewError => new ReviewError(`failed to call webhook: ${why}`);

/** @throws ReviewError */
export function verdictOf(bytes: Buffer, { apiVersion, uid }: Review, mutates: boolean): Verdict {
  const review = parsed(bytes);
  const { kind, apiVersion: version, response } = review;
  checkIsReview(review, apiVersion);
  if (response === undefined || response === null) throw invalid("webhook response was absent");
  if (!isObject(response)) throw unread("response must be an object");
  // The old version asked less of answers: neither whose they are, nor of which type a patch is.
  const isOld = apiVersion.endsWith("/v1beta1");
  if (!isOld && (kind !== "AdmissionReview" || version !== apiVersion)) {
    throw invalid(`expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${kindText(version, kind)}`);
  }
  const { allowed = false, status, warnings, auditAnnotations } = response;
  if (typeof allowed !== "boolean") throw unread("response.allowed must be a boolean");
  if (!isOld && response["uid"] !== uid) {
    throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(cut(textOf(response["uid"])))}`);
  }
  return {
    allowed,
    result: isObject(status) ? status : undefined,
    patch: isOld ? oldPatchOf(response, mutates) : patchOf(response, mutates),
    warnings: Array.isArray(warnings) ? warningsOf(warnings) : [],
    auditAnnotations: textsOf(auditAnnotations),
  };
}

/** What does not say what it is may be one; whether it should have said so is looked at later. @throws ReviewError */
function checkIsReview({ kind, apiVersion }: JsonObject, asked: string): void {
  const [givenKind, given] = [textOf(kind) || "AdmissionReview", textOf(apiVersion) || asked];
  const [group = ""] = asked.split("/");
  if (givenKind === "AdmissionReview" && known.some((version) => given === `${group}/${version}`)) return;
  throw unread(`no kind ${JSON.stringify(cut(givenKind))} is registered for version ${JSON.stringify(cut(given))}`);
}

/** Bounds of what a webhook says, far above what anybody reads: its texts go along with answers, logs and events. */
const longest = { text: 16 << 10, warning: 8 << 10, annotation: 64 << 10 };
const most = { warnings: 1000, annotations: 1000, causes: 100 };

function warningsOf(warnings: readonly unknown[]): readonly string[] {
  // What no header can carry is not told, as in the reference.
  const texts = warnings.flatMap((one) => (typeof one === "string" && one !== "" && !/\p{Cc}/u.test(one) ? [one] : []));
  return texts.slice(0, most.warnings).map((text) => cut(text, longest.warning));
}

function parsed(bytes: Buffer): JsonObject {
  let review: unknown;
  try {
    review = readJson(bytes.toString("utf8"));
  } catch (error) {
    throw new ReviewError("failed to call webhook: couldn't get version/kind; the answer is no JSON", { cause: error });
  }
  if (!isObject(review)) throw unread("couldn't get version/kind; the answer is no JSON object");
  return review;
}

function patchOf({ patch, patchType }: JsonObject, mutates: boolean): unknown {
  const [hasPatch, hasType] = [textOf(patch) !== "", textOf(patchType) !== ""];
  if (!mutates) {
    if (hasPatch) throw invalid("validating webhook may not return response.patch");
    if (hasType) throw invalid("validating webhook may not return response.patchType");
    return undefined;
  }
  if (!hasPatch && !hasType) return undefined;
  if (!hasType) throw invalid("webhook returned response.patch but not response.patchType");
  if (!hasPatch) throw invalid("webhook returned response.patchType but not response.patch");
  const bytes = decodedPatch(textOf(patch));
  if (patchType !== "JSONPatch")
    throw invalid(`webhook returned invalid response.patchType of ${JSON.stringify(cut(textOf(patchType)))}`);
  return parsedPatch(bytes);
}

function oldPatchOf({ patch }: JsonObject, mutates: boolean): unknown {
  const text = textOf(patch);
  return !mutates || text === "" ? undefined : parsedPatch(decodedPatch(text));
}

function decodedPatch(text: string): Buffer {
  if (!isBase64(text)) throw unread("illegal base64 data");
  return Buffer.from(text, "base64");
}

function parsedPatch(bytes: Buffer): unknown {
  try {
    return readJson(bytes.toString("utf8"));
  } catch (error) {
    throw new ReviewError("the patch is no JSON", { cause: error });
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && Buffer.from(text, "base64").toString("base64") === text;
}

function kindText(apiVersion: unknown, kind: unknown): string {
  const version = cut(textOf(apiVersion));
  return `${version === "" ? "/" : version}, Kind=${cut(textOf(kind))}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).flatMap(([key, one]) => (typeof one === "string" ? [[key, one] as const] : []));
  return Object.fromEntries(
    texts.slice(0, most.annotations).map(([key, text]) => [key, cut(text, longest.annotation)] as const),
  );
}

/** The refusal of a webhook as its client reads it. */
export function deniedBy({ name }: Hook, { result = {} }: Verdict): ApiError {
  const [message, reason] = [textOf(result["message"]), cut(textOf(result["reason"]))];
  const why = cut(message || reason, longest.text);
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { code } = result;
  const isError = typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600;
  const details = detailsOf(result["details"]);
  return new ApiError("BadRequest", why === "" ? `${denied} without explanation` : `${denied}: ${why}`, {
    code: isError ? code : 400,
    toldReason: reason,
    ...(details === undefined ? {} : { details }),
  });
}

function detailsOf(value: unknown): StatusDetails | undefined {
  if (!isObject(value)) return undefined;
  const { name, group, kind, uid, causes, retryAfterSeconds } = value;
  return {
    ...(typeof name === "string" ? { name: cut(name) } : {}),
    ...(typeof group === "string" ? { group: cut(group) } : {}),
    ...(typeof kind === "string" ? { kind: cut(kind) } : {}),
    ...(typeof uid === "string" ? { uid: cut(uid) } : {}),
    ...(Array.isArray(causes) ? { causes: causes.filter(isCause).slice(0, most.causes).map(shortened) } : {}),
    ...(typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {}),
  };
}

/** Reasons of causes are a webhook's own, as its whole answer is. */
function isCause(value: unknown): value is Cause {
  return isObject(value) && typeof value["message"] === "string";
}

/** What is no text, or is too long for a reason, is left out. */
function shortened({ message, reason, field }: Cause): Cause {
  return {
    ...(typeof reason === "string" && reason.length <= quoted ? { reason } : {}),
    message: cut(message, longest.text),
    ...(typeof field === "string" ? { field: cut(field) } : {}),
  };
}
