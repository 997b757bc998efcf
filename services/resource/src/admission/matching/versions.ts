import type { Kind } from "@orch/api/catalog.js";
import { needsWebhook, shapedAs } from "@orch/api/custom/shaped.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { asVersion, decodeObject, toHub } from "@orch/api/writes.js";
import { complete } from "@orch/schema/complete.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { Write } from "../../write/write.js";
import type { Question, Shown } from "./question.js";

/** The question's objects in the version in which somebody asks for them. @throws ApiError */
export async function shownAs(question: Question, kind: Kind): Promise<Shown> {
  const { write, object, old } = question;
  // A Scale is what it is in every version of what is scaled.
  if (kind === write.requested || question.kind !== write.requested) {
    return { kind: question.kind, resource: kind, object, old };
  }
  const states = { from: question.kind, to: kind };
  return {
    ...{ kind, resource: kind },
    object: object && (await inVersion(write, object, states)),
    old: old && (await inVersion(write, old, states)),
  };
}

/** An object of one version in another one, whole as clients read it. @throws ApiError */
export async function inVersion(
  write: Write,
  object: JsonObject,
  { from, to }: { readonly from: Kind; readonly to: Kind },
): Promise<AnyObject> {
  const given = withMetadata({ ...object, kind: from.kind, apiVersion: from.apiVersion });
  if (from === to) return given;
  if (to.custom === undefined) return asVersion(to, toHub(from, decodeObject(from, given).object));
  return customAs(write, given, to);
}

/** An object as it is stored, in a version of its kind, whole as clients read it. @throws ApiError */
export function storedAs(write: Write, stored: AnyObject, to: Kind): AnyObject | Promise<AnyObject> {
  return to.custom === undefined ? asVersion(to, stored) : customAs(write, stored, to);
}

async function customAs({ deps, span }: Write, given: AnyObject, to: Kind): Promise<AnyObject> {
  const [converted = given] = needsWebhook(to, given.apiVersion) ? await deps.convert(to, [given], span) : [given];
  return withMetadata({ ...complete(to.type, shapedAs(to, converted)), kind: to.kind, apiVersion: to.apiVersion });
}
