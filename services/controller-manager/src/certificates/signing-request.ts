import { type ApiObject, isRecord } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { wireTime } from "@orch/status/wire-time.js";

/** What the controllers read of a CertificateSigningRequest. */
export interface SigningRequestView {
  /** PEM. */
  readonly request: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly expirationSeconds: number | undefined;
  /** Who asks. */
  readonly username: string;
  readonly conditions: readonly ConditionView[];
  /** PEM; empty where none is issued. */
  readonly certificate: string;
}

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  /** Milliseconds since 1970; NaN where it says none. */
  readonly lastUpdate: number;
}

export function signingRequests(naming: Naming) {
  return { group: naming.group("certificates"), version: "v1", resource: "certificatesigningrequests" };
}

export function viewOf(object: ApiObject): SigningRequestView {
  const spec = recordOf(object["spec"]);
  const status = recordOf(object["status"]);
  const seconds = spec["expirationSeconds"];
  return {
    request: decoded(spec["request"]),
    signerName: text(spec["signerName"]),
    usages: listOf(spec["usages"]).filter((u) => typeof u === "string"),
    expirationSeconds: typeof seconds === "number" ? seconds : undefined,
    username: text(spec["username"]),
    conditions: conditionsOf(object).map((condition) => {
      const { type, status: is, lastUpdateTime } = recordOf(condition);
      return { type: text(type), status: text(is), lastUpdate: Date.parse(text(lastUpdateTime)) };
    }),
    certificate: decoded(status["certificate"]),
  };
}

export function hasCondition({ conditions }: SigningRequestView, type: string): boolean {
  return conditions.some((c) => c.type === type);
}

/** The object with one condition more, which is true. */
export function withCondition(
  object: ApiObject,
  condition: { readonly type: string; readonly reason: string; readonly message: string; readonly now: number },
): ApiObject {
  const { now, ...said } = condition;
  const lastUpdateTime = wireTime(now);
  const added = { ...said, status: "True", lastUpdateTime };
  return { ...object, status: { ...recordOf(object["status"]), conditions: [...conditionsOf(object), added] } };
}

export function withCertificate(object: ApiObject, pem: string): ApiObject {
  return { ...object, status: { ...recordOf(object["status"]), certificate: Buffer.from(pem).toString("base64") } };
}

const conditionsOf = (object: ApiObject): readonly unknown[] => listOf(recordOf(object["status"])["conditions"]);
const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const decoded = (value: unknown): string => Buffer.from(text(value), "base64").toString("latin1");
