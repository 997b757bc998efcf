import type { UserInfo } from "@orch/auth/user.js";
import type { Naming } from "@orch/naming/naming.js";
import type { EventText, Stage } from "./event.js";
import type { Plan } from "./policy.js";
import type { FormatTime } from "./times.js";

/** What a request says of itself. */
export interface RecordedRequest {
  readonly id: string;
  readonly uri: string;
  readonly verb: string;
  readonly sourceAddresses: readonly string[];
  readonly userAgent: string;
  /** Undefined of a path that is no resource. */
  readonly objectRef: ObjectRef | undefined;
  /** Milliseconds since 1970, with fractions. */
  readonly received: number;
}

export interface ObjectRef {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly group: string;
  readonly version: string;
  readonly resourceVersion?: string;
  readonly subresource: string;
}

/** What is told of an answer; the fields of a Status where it is one. */
export interface ResponseStatus {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: object | undefined;
  readonly code: number;
}

/** Makes the texts of events in one dialect. */
export interface EventWriter {
  /** Of events. */
  readonly apiVersion: string;
  readonly head: string;
  readonly formatTime: FormatTime;
}

export function createEventWriter(naming: Naming, formatTime: FormatTime): EventWriter {
  const apiVersion = `${naming.group("audit")}/v1`;
  return { apiVersion, head: `{"kind":"Event","apiVersion":${JSON.stringify(apiVersion)},"level":"`, formatTime };
}

const longestUserAgent = 1024;

const knownUsers = new WeakMap<UserInfo, string>();

/** Authenticators give the same value for the same credentials: its text is made once. */
function userText(user: UserInfo): string {
  let text = knownUsers.get(user);
  if (text === undefined) {
    const { name, uid, groups, extra } = user;
    text = JSON.stringify({
      username: name === "" ? undefined : name,
      uid: uid === "" ? undefined : uid,
      groups: groups.length === 0 ? undefined : groups,
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    });
    knownUsers.set(user, text);
  }
  return text;
}

/**
 * What is recorded of one request, and the texts of its events. A class: there is one for every request. Members are set
 * as the request goes on; each event tells what is known then.
 */
export class EventRecord {
  readonly plan: Plan;
  readonly #writer: EventWriter;
  readonly #request: RecordedRequest;
  readonly #user: UserInfo | undefined;
  #impersonated: UserInfo | undefined;
  #annotations: Map<string, string> | undefined;
  #objectRef: ObjectRef | undefined;
  /** Texts that events share, made with the first that needs them. */
  #said: Said | undefined;
  #refText: string | undefined;
  #received: string | undefined;
  responseStatus: ResponseStatus | undefined;
  /** As JSON. */
  requestObject: string | undefined;
  responseObject: string | undefined;

  constructor(writer: EventWriter, plan: Plan, request: RecordedRequest, user: UserInfo | undefined) {
    this.#writer = writer;
    this.plan = plan;
    this.#request = request;
    this.#user = user;
    this.#objectRef = request.objectRef;
  }

  get impersonated(): UserInfo | undefined {
    return this.#impersonated;
  }

  impersonate(user: UserInfo): void {
    this.#impersonated = user;
  }

  /** What a body says of the object that it is about; what the path has said already stays. */
  completeObject(said: Partial<Pick<ObjectRef, "namespace" | "name" | "uid" | "resourceVersion">>): void {
    const ref = this.#objectRef;
    if (ref === undefined) return;
    this.#refText = undefined;
    this.#objectRef = {
      ...ref,
      namespace: ref.namespace || (said.namespace ?? ""),
      name: ref.name || (said.name ?? ""),
      uid: ref.uid || (said.uid ?? ""),
      resourceVersion: ref.resourceVersion || (said.resourceVersion ?? ""),
    };
  }

  /** The first value of a key stays. */
  annotate(key: string, value: string): void {
    this.#annotations ??= new Map();
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  /** The event of a stage that is reached at `now`: milliseconds since 1970, with fractions. */
  line(stage: Stage, now: number): EventText {
    this.#said ??= saidOf(this.#request, this.#user);
    const { head, formatTime } = this.#writer;
    const { id, uri, rest } = this.#said;
    this.#received ??= formatTime(this.#request.received);
    let text = `${head}${this.plan.level}","auditID":${id},"stage":"${stage}","requestURI":${uri}`;
    if (this.#impersonated !== undefined) text += `,"impersonatedUser":${userText(this.#impersonated)}`;
    text += rest;
    if (this.#objectRef !== undefined) {
      this.#refText ??= refText(this.#objectRef);
      text += this.#refText;
    }
    if (this.responseStatus !== undefined) text += `,"responseStatus":${statusText(this.responseStatus)}`;
    if (this.requestObject !== undefined) text += `,"requestObject":${this.requestObject}`;
    if (this.responseObject !== undefined) text += `,"responseObject":${this.responseObject}`;
    text += `,"requestReceivedTimestamp":"${this.#received}","stageTimestamp":"${formatTime(now)}"`;
    text += this.#annotations === undefined ? "}" : `,"annotations":${annotationsText(this.#annotations)}}`;
    return text;
  }
}

/** What every event of a request says of it, made with the first. */
interface Said {
  readonly id: string;
  /** With what follows up to the user that it is taken for. */
  readonly uri: string;
  readonly rest: string;
}

function saidOf({ id, uri, verb, sourceAddresses, userAgent }: RecordedRequest, user: UserInfo | undefined): Said {
  const who = user === undefined ? "{}" : userText(user);
  let rest = sourceAddresses.length === 0 ? "" : `,"sourceIPs":["${sourceAddresses.join('","')}"]`;
  if (userAgent !== "") rest += `,"userAgent":${JSON.stringify(shortAgent(userAgent))}`;
  return { id: JSON.stringify(id), uri: `${JSON.stringify(uri)},"verb":${JSON.stringify(verb)},"user":${who}`, rest };
}

function shortAgent(userAgent: string): string {
  return userAgent.length <= longestUserAgent ? userAgent : `${userAgent.slice(0, longestUserAgent)}...TRUNCATED`;
}

function refText({
  resource,
  namespace,
  name,
  uid = "",
  group,
  version,
  resourceVersion = "",
  subresource,
}: ObjectRef) {
  let text = `,"objectRef":{"resource":${JSON.stringify(resource)}`;
  if (namespace !== "") text += `,"namespace":${JSON.stringify(namespace)}`;
  if (name !== "") text += `,"name":${JSON.stringify(name)}`;
  if (uid !== "") text += `,"uid":${JSON.stringify(uid)}`;
  if (group !== "") text += `,"apiGroup":${JSON.stringify(group)}`;
  if (version !== "") text += `,"apiVersion":${JSON.stringify(version)}`;
  if (resourceVersion !== "") text += `,"resourceVersion":${JSON.stringify(resourceVersion)}`;
  if (subresource !== "") text += `,"subresource":${JSON.stringify(subresource)}`;
  return `${text}}`;
}

function statusText({ status, message, reason, details, code }: ResponseStatus): string {
  if (status === undefined && message === undefined) return `{"metadata":{},"code":${code}}`;
  return JSON.stringify({ metadata: {}, status, message, reason, details, code });
}

/** In the order of their keys. */
function annotationsText(annotations: ReadonlyMap<string, string>): string {
  let text = "";
  for (const [key, value] of isSorted(annotations) ? annotations : [...annotations].sort(byKey)) {
    text += `${text === "" ? "{" : ","}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  return `${text}}`;
}

const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

/** Those of most requests are: sorting them costs more than printing them. */
function isSorted(annotations: ReadonlyMap<string, string>): boolean {
  let before = "";
  for (const key of annotations.keys()) {
    if (key < before) return false;
    before = key;
  }
  return true;
}
