import type { Catalog } from "@orch/api/catalog.js";
import type { EventText, Stage } from "@orch/audit/event.js";
import type { Plan, PlanOf } from "@orch/audit/policy.js";
import { EventRecord, type EventWriter, type ObjectRef, type ResponseStatus } from "@orch/audit/record.js";
import { sourceAddresses } from "@orch/audit/source-addresses.js";
import type { Decision } from "@orch/auth/authorizer.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { WriteAudit } from "@orch/rpc/messages.js";
import { isObject } from "@orch/schema/descriptor.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import { internalError } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Reached } from "../call.js";
import type { HttpRequest } from "../http/request.js";
import type { HttpResponse } from "../http/response.js";
import { isLongRunning } from "../long-running.js";
import { attributesOf } from "../request-attributes.js";
import { AuditedResponse } from "./audited-response.js";
import { type BodyValue, inflated, maxObjectBytes, readBody, type TypedBody, textOf } from "./body-text.js";
import type { AuditedCall, CallAudit } from "./call-audit.js";
import type { AuditMetrics } from "./metrics.js";
import { authenticationFailure, nobody, shownVerb } from "./request-facts.js";

export interface AuditDeps {
  readonly planOf: PlanOf;
  readonly writer: EventWriter;
  /** Under which an authorizer's decision stands, and why. */
  readonly decisionKeys: { readonly decision: string; readonly reason: string };
  /** Of an event from which an object is left out. */
  readonly truncatedKey: string;
  /** What keys begin with that say how long a part of a slow request took. */
  readonly latencyPrefix: string;
  /** Takes an event; nobody waits for it. */
  readonly send: (event: EventText) => void;
  /** Of modes in which a request waits for its first event; false if that is not kept. */
  readonly sendAndWait: ((event: EventText) => Promise<boolean>) | undefined;
  /** A request whose first event is not kept is refused. */
  readonly strict: boolean;
  readonly metrics: AuditMetrics;
  /** Of built-in kinds and custom ones, as of now. */
  readonly catalog: () => Catalog;
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
}

type AuditedRequest = Omit<AuditedCall, "sender">;

/** A request that takes longer tells where the time went. */
const slowMs = 500;

const successDetails = new Set(["delete", "deletecollection"]);

/**
 * What becomes of a request, for its audit events. A class: there is one for every request while a policy is configured.
 * The stages tell it what they learn; it makes the events.
 */
export class RequestAudit implements CallAudit {
  readonly response: HttpResponse;
  readonly #deps: AuditDeps;
  readonly #request: HttpRequest;
  readonly #received: number;
  #record: EventRecord | undefined;
  /** What the rules say was looked up. */
  #planned = false;
  #longRunning = false;
  #code = 0;
  #started = false;
  #fault: string | undefined;
  #sent: TypedBody | undefined;
  #answer: Buffer[] | undefined;
  #answerBytes = 0;
  #answerType = "";
  /** How long its parts took, while nobody knows whether it is slow. */
  #latencies: (readonly [key: string, value: string])[] | undefined;
  /** The verb of a request whose answer may be a Status although it succeeds. */
  #mayBeStatus = false;

  constructor(deps: AuditDeps, request: HttpRequest, response: HttpResponse) {
    this.#deps = deps;
    this.#request = request;
    this.#received = deps.now();
    this.response = new AuditedResponse(response, this);
  }

  /** Its sender is known. @throws ApiError InternalError where the event must be kept and is not */
  received(call: AuditedCall): void | Promise<void> {
    const record = this.#begin(call, call.sender);
    if (record === undefined || record.plan.omitStages.has("RequestReceived")) return undefined;
    const { sendAndWait, now, metrics, send } = this.#deps;
    const event = record.line("RequestReceived", now());
    metrics.event();
    if (sendAndWait === undefined) return send(event);
    return sendAndWait(event).then((kept) => {
      if (kept || !this.#deps.strict) return;
      this.#record = undefined;
      metrics.rejected();
      const uri = JSON.stringify(cut(this.#request.target));
      throw internalError(`Internal Server Error: ${uri}: failed to store audit event`);
    });
  }

  #begin(call: AuditedRequest, user: UserInfo | undefined): EventRecord | undefined {
    const { planOf, writer, metrics } = this.#deps;
    const attributes = attributesOf(call, user ?? nobody);
    const plan: Plan = planOf(attributes);
    this.#planned = true;
    metrics.level(plan.level);
    if (plan.level === "None") return undefined;
    const request = this.#request;
    this.#longRunning = isLongRunning(call);
    this.#mayBeStatus = successDetails.has(call.verb);
    const objectRef: ObjectRef | undefined = attributes.kind === "resource" ? attributes : undefined;
    this.#record = new EventRecord(
      writer,
      plan,
      {
        id: request.id,
        uri: request.target,
        verb: shownVerb(call),
        sourceAddresses: sourceAddresses({
          forwardedFor: request.header("x-forwarded-for"),
          realIp: request.header("x-real-ip"),
          remote: request.peer.address,
        }),
        userAgent: request.header("user-agent") ?? "",
        objectRef,
        received: this.#received,
      },
      user,
    );
    return this.#record;
  }

  /** It is taken for somebody else's. */
  impersonated(user: UserInfo): void {
    this.#record?.impersonate(user);
  }

  decided({ outcome, reason }: Decision): void {
    const { decisionKeys } = this.#deps;
    this.#record?.annotate(decisionKeys.decision, outcome === "allow" ? "allow" : "forbid");
    this.#record?.annotate(decisionKeys.reason, reason);
  }

  annotate(annotations: Iterable<readonly [key: string, value: string]>): void {
    const { latencyPrefix } = this.#deps;
    for (const [key, value] of annotations) {
      if (!key.startsWith(latencyPrefix)) this.#record?.annotate(key, value);
      else {
        this.#latencies ??= [];
        this.#latencies.push([key, value]);
      }
    }
  }

  /** Its body, as it came. */
  sent(bytes: Buffer): void {
    if (this.#record !== undefined) this.#sent = { bytes, contentType: this.#request.header("content-type") ?? "" };
  }

  /** What of plugins is worth collecting. */
  get wanted(): WriteAudit | undefined {
    if (this.#record === undefined) return undefined;
    return this.#record.plan.level === "Metadata" ? "annotations" : "patches";
  }

  /** What nobody expected has happened. */
  failed(error: unknown): void {
    this.#fault = cut(messageOf(error));
  }

  // The response tells of these.

  began(code: number): void {
    this.#code = code;
    if (!this.#longRunning || this.#started) return;
    this.#started = true;
    const record = this.#record;
    if (record === undefined) return;
    record.responseStatus = { code };
    this.#emit(record, "ResponseStarted");
  }

  get wantsBody(): boolean {
    if (this.#record === undefined) return false;
    if (this.#code >= 400 || this.#mayBeStatus) return true;
    return this.#record.plan.level === "RequestResponse" ? !this.#longRunning : this.#needsName;
  }

  /** The answer to a creation says what the object is called, without anybody having to read all of its body. */
  get #needsName(): boolean {
    return this.#code === 201 && this.#sent !== undefined;
  }

  body(part: Buffer | string, contentType: string): void {
    this.#answerType = contentType;
    this.#answerBytes += part.length;
    if (this.#answerBytes > maxObjectBytes) {
      this.#answer = undefined;
      return;
    }
    this.#answer ??= [];
    this.#answer.push(typeof part === "string" ? Buffer.from(part) : part);
  }

  /** It is answered. */
  complete(call: Reached): void {
    if (!this.#planned) this.#unauthenticated(call);
    const record = this.#record;
    if (record === undefined) return;
    if (call.subject?.type === "resource") this.annotate(call.subject.auditAnnotations);
    if (this.#fault !== undefined) {
      this.#panic(record, this.#fault);
      return;
    }
    if (record.plan.omitStages.has("ResponseComplete")) return;
    if (!this.#longRunning) this.#tellLatency(record);
    const [first] = this.#answer ?? [];
    if (first?.[0] !== gzipByte) {
      this.#finish(record, call, Buffer.concat(this.#answer ?? []));
      return;
    }
    void inflated(Buffer.concat(this.#answer ?? [])).then((answer) => {
      if (answer === undefined) record.annotate(this.#deps.truncatedKey, "true");
      this.#finish(record, call, answer ?? Buffer.alloc(0));
    });
  }

  #tellLatency(record: EventRecord): void {
    const { now, latencyPrefix } = this.#deps;
    const ms = now() - this.#received;
    if (ms <= slowMs) return;
    for (const [key, value] of this.#latencies ?? []) record.annotate(key, value);
    record.annotate(`${latencyPrefix}total`, formatMs(ms));
  }

  /** Of a request that did not say who sends it, one event tells all. */
  #unauthenticated(call: Reached): void {
    const record = this.#begin(call, undefined);
    this.#record = undefined;
    if (record === undefined || this.#code === 0) return;
    const message = this.#code === 401 ? authenticationFailure(this.#request) : undefined;
    record.responseStatus = { code: this.#code, message };
    this.#emit(record, "ResponseStarted");
  }

  #panic(record: EventRecord, why: string): void {
    const message = `APIServer panic'd: ${why}`;
    record.responseStatus = { status: "Failure", reason: "InternalError", message, code: this.#code || 500 };
    this.#emit(record, "Panic");
  }

  #finish(record: EventRecord, call: Reached, answer: Buffer): void {
    const { plan } = record;
    const isAboutObject = call.subject?.type === "resource";
    const whole = plan.level === "RequestResponse" || this.#code >= 400 || this.#mayBeStatus;
    const shown = whole && answer.length > 0 ? this.#read({ bytes: answer, contentType: this.#answerType }) : undefined;
    record.responseStatus = this.#statusOf(shown, call);
    if (isAboutObject) this.#tellSent(record, call, answer);
    const tellsAnswer = plan.level === "RequestResponse" && !this.#longRunning && call.subject?.type !== "remote";
    if (tellsAnswer && this.#code !== 406 && isObject(shown?.value) && "kind" in shown.value) {
      record.responseObject = textOf(shown, plan.omitManagedFields);
    }
    if (this.#answerBytes > maxObjectBytes) record.annotate(this.#deps.truncatedKey, "true");
    this.#emit(record, "ResponseComplete");
  }

  #statusOf(shown: BodyValue | undefined, { subject }: Reached): ResponseStatus {
    const code = this.#code;
    if (code === 0) return { code: 200, status: "Success", message: "Connection closed early" };
    const value = shown?.value;
    if (!isObject(value) || value["kind"] !== "Status" || code === 406) return { code };
    // A path that names nothing is not worth more than its code.
    if (code === 404 && subject?.type !== "resource") return { code };
    const { status, message, reason, details } = value;
    return {
      code,
      status: typeof status === "string" ? status : undefined,
      message: typeof message === "string" ? message : undefined,
      reason: typeof reason === "string" ? reason : undefined,
      details: isObject(details) ? details : undefined,
    };
  }

  /** What the body of the request says: its object, and what that is called. */
  #tellSent(record: EventRecord, { verb }: Reached, answer: Buffer): void {
    const sent = this.#sent;
    if (sent === undefined || sent.bytes.length === 0) return;
    const tellsObject = record.plan.level !== "Metadata";
    const isNamed = verb === "create" || verb === "update";
    if (!tellsObject && !isNamed) return;
    const name = !tellsObject && verb === "create" ? nameIn(answer) : undefined;
    if (name !== undefined) {
      record.completeObject({ name });
      return;
    }
    const read = this.#read(sent);
    if (read === undefined) return;
    if (isNamed) record.completeObject(metadataOf(read.value, verb === "create" ? nameIn(answer) : undefined));
    if (tellsObject) record.requestObject = textOf(read, record.plan.omitManagedFields);
  }

  #read(body: TypedBody): BodyValue | undefined {
    return readBody(body, this.#deps.catalog());
  }

  #emit(record: EventRecord, stage: Stage): void {
    if (record.plan.omitStages.has(stage)) return;
    const { send, metrics, now } = this.#deps;
    metrics.event();
    send(record.line(stage, now()));
  }
}

const gzipByte = 0x1f;

const metadataHead = /"metadata":\{(?:"resourceVersion":"[0-9]+",)?"name":"([^"\\]+)"/;
const nameWithin = 512;

/** The name of an object in JSON as this server prints it: its metadata come first, and its version and name first in them. */
function nameIn(answer: Buffer): string | undefined {
  return metadataHead.exec(answer.toString("utf8", 0, nameWithin))?.[1];
}

function metadataOf(value: unknown, made: string | undefined) {
  const metadata = isObject(value) && isObject(value["metadata"]) ? value["metadata"] : {};
  const text = (name: string): string => {
    const field = metadata[name];
    return typeof field === "string" ? field : "";
  };
  return {
    namespace: text("namespace"),
    name: text("name") || (made ?? ""),
    uid: text("uid"),
    resourceVersion: text("resourceVersion"),
  };
}
