import { apiVersionOf, type Priority } from "@orch/api/catalog.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { ServiceReference } from "@orch/outbound/destination.js";
import { isObject } from "@orch/schema/descriptor.js";

/** An APIService, as far as a gateway goes by it. */
export interface ApiService {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
  readonly labels: Readonly<Record<string, string>>;
  /** Where its server is; undefined of a local one. */
  readonly remote: Remote | undefined;
  readonly available: Condition | undefined;
}

/** A server of somebody else that answers for a group-version. The same value for as long as it says the same. */
export interface Remote {
  /** Of its APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: ServiceReference;
  /** Certificates in PEM that its certificate is checked by; "" for those of the system. */
  readonly ca: string;
  /** Its certificate is not checked. */
  readonly insecure: boolean;
}

/** Of the type `Available`. */
export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** When the status became what it is, RFC 3339. */
  readonly lastTransitionTime: string;
}

const httpsPort = 443;

/** `before` is what was known of the APIService of that name. */
export function readApiService(object: AnyObject, before?: ApiService): ApiService {
  const { name = "", uid = "", resourceVersion = "", labels = {} } = object.metadata;
  const group = textAt(object, "spec.group");
  const version = textAt(object, "spec.version");
  return {
    ...{ name, uid, resourceVersion, labels, group, version },
    priority: {
      group: numberAt(object, "spec.groupPriorityMinimum"),
      version: numberAt(object, "spec.versionPriority"),
    },
    remote: kept(remoteOf(object, { name, group, version }), before?.remote),
    available: availableOf(object),
  };
}

function remoteOf(object: AnyObject, of: Pick<Remote, "name" | "group" | "version">): Remote | undefined {
  const service = valueAt(object, "spec.service");
  if (!isObject(service)) return undefined;
  const { namespace = "", name = "", port = httpsPort } = service;
  return {
    ...of,
    service: { namespace: String(namespace), name: String(name), port: Number(port) },
    ca: Buffer.from(textAt(object, "spec.caBundle"), "base64").toString("latin1"),
    insecure: valueAt(object, "spec.insecureSkipTLSVerify") === true,
  };
}

function kept(now: Remote | undefined, before: Remote | undefined): Remote | undefined {
  if (now === undefined || before === undefined) return now;
  return JSON.stringify(now) === JSON.stringify(before) ? before : now;
}

function availableOf(object: AnyObject): Condition | undefined {
  const conditions = valueAt(object, "status.conditions");
  const found = Array.isArray(conditions)
    ? conditions.find((one) => isObject(one) && one["type"] === "Available")
    : undefined;
  if (!isObject(found)) return undefined;
  const { status = "", reason = "", message = "", lastTransitionTime = "" } = found;
  return {
    status: String(status),
    reason: String(reason),
    message: String(message),
    lastTransitionTime: String(lastTransitionTime),
  };
}

export function isAvailable({ available }: ApiService): boolean {
  return available?.status === "True";
}

/** `v1.apps`, `v1.` of the core group. */
export function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}

/** `/apis/example.com/v1`. */
export function pathOf({ group, version }: Pick<Remote, "group" | "version">): string {
  return `/${group === "" ? "api" : "apis"}/${apiVersionOf(group, version)}`;
}

const textAt = (object: AnyObject, path: string): string => String(valueAt(object, path) ?? "");
const numberAt = (object: AnyObject, path: string): number => Number(valueAt(object, path) ?? 0);
