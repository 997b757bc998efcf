import type { AnyObject } from "@orch/api/object.js";
import { badRequest, conflict, invalid, modified } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import type { FieldError } from "@orch/status/field-error.js";
import { resourceOf, type Write } from "./write.js";

/** @throws ApiError BadRequest when the body is another object than the path */
export function checkNames({ kind, request }: Write, { metadata }: AnyObject): void {
  const name = metadata.name ?? "";
  const namespace = metadata.namespace ?? request.namespace;
  if (kind.namespaced && namespace !== request.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (name === "") {
    throw badRequest(`the name of the object (${request.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== request.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
  }
}

/** The version that a body is meant for, where it says one; 0 says none. @throws ApiError BadRequest, Invalid, Conflict */
export function checkVersion({ kind, request }: Write, given: AnyObject, old: AnyObject): void {
  const { resourceVersion = "" } = given.metadata;
  const version = resourceVersion === "0" ? "" : resourceVersion;
  // A Scale without one is meant for the object as it is.
  if (version === "" && !kind.strategy.unconditionalUpdate && request.subresource !== "scale") {
    throw invalid({ group: kind.group, kind: kind.plural }, request.name, [unversioned]);
  }
  if (Number.isNaN(Number(version))) throw badRequest(notANumber(version));
  if (version !== "" && version !== old.metadata.resourceVersion) throw modified(resourceOf(kind), request.name);
}

function notANumber(version: string): string {
  const value = JSON.stringify(cut(version));
  return `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`;
}

/** The reference tells of this one by the name of the resource, and of the number as it stands in its memory. */
const unversioned: FieldError = {
  ...{ reason: "FieldValueInvalid", field: "metadata.resourceVersion" },
  message: "Invalid value: 0x0: must be specified for an update",
};

/** A PUT with a uid is meant for that object and for none that has its name since, or has yet to be. @throws ApiError Conflict */
export function checkUid({ kind, request }: Write, given: AnyObject, old: AnyObject | undefined): void {
  const uid = given.metadata.uid ?? "";
  if (uid === "" || uid === old?.metadata.uid) return;
  throw conflict(
    resourceOf(kind),
    request.name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.metadata.uid ?? ""}`,
  );
}

/**
 * The request's If-Match: entity tags that are resourceVersions, quoted or bare, or `*` for any. A state that matches
 * none is answered as a stale resourceVersion is; `undefined` stands for an object that is not there.
 * @throws ApiError Conflict
 */
export function checkIfMatch({ kind, request }: Write, resourceVersion: string | undefined): void {
  if (request.ifMatch === "") return;
  const tags = request.ifMatch.split(",").map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, "$1"));
  const matches = resourceVersion !== undefined && (tags.includes("*") || tags.includes(resourceVersion));
  if (!matches) throw modified(resourceOf(kind), request.name);
}
