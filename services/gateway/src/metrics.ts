import { type Reached, subjectOf } from "./call.js";

/** Where requests are counted; the process binds it to its metrics registry. */
export interface RequestMetrics {
  /** `id` tells label sets apart; the labels are asked for when it is new. */
  observe(id: string, labels: () => RequestLabels, milliseconds: number): void;
  /** A request to a deprecated version (rules: Signals on deprecated endpoints). */
  deprecated(labels: DeprecatedLabels): void;
  /** A resource that is no more has no series of its own. */
  forget(resource: Pick<RequestLabels, "group" | "resource">): void;
}

export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "cluster" | "namespace" | "resource" | "";
  readonly code: string;
  readonly dryRun: string;
}

export interface DeprecatedLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removed_release: string;
}

const unnamed = { group: "", version: "", resource: "", subresource: "", scope: "", dryRun: "" } as const;

/** The methods of RFC 9110 and RFC 5789; HTTP/2 lets a client invent others. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

/** Labels hold only words of the catalog. Requests with other words in their path or method are counted without them. */
export function recordRequest(metrics: RequestMetrics, call: Reached, milliseconds: number): void {
  const { request, response } = call;
  const subject = subjectOf(call);
  const verb = methods.has(request.method) ? request.method : "OTHER";
  const code = String(response.code);
  if (subject === undefined) {
    metrics.observe(`${verb} ${code}`, () => ({ ...unnamed, verb, code }), milliseconds);
    return;
  }
  const { kind, route, deprecation } = subject;
  const { target } = route;
  const subresource = kind.subresources.some((s) => s.name === target.subresource) ? target.subresource : "";
  const scope = target.name !== "" ? "resource" : target.namespace !== "" ? "namespace" : "cluster";
  const dryRun = request.query?.get("dryRun") === "All" ? "All" : "";
  const { group, version, plural: resource } = kind;
  if (deprecation !== undefined) {
    metrics.deprecated({ group, version, resource, subresource, removed_release: deprecation.removedRelease });
  }
  metrics.observe(
    `${verb} ${code} ${kind.apiVersion}/${resource}/${subresource} ${scope} ${dryRun}`,
    () => ({ verb, code, group, version, resource, subresource, scope, dryRun }),
    milliseconds,
  );
}
