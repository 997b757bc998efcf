import type { Kind } from "../catalog.js";
import type { AnyObject } from "../object.js";
import { decodeObject, setDefaults } from "../writes.js";

/** Whether only a webhook can make an object into one of this version. */
export function needsWebhook(kind: Kind, apiVersion: unknown): boolean {
  return kind.custom?.webhook !== undefined && apiVersion !== kind.apiVersion;
}

/** An object of a custom resource as a version shows it: called so, without what its schema does not know, with its defaults. */
export function shapedAs(kind: Kind, object: AnyObject): AnyObject {
  const named = { ...object, kind: kind.kind, apiVersion: kind.apiVersion };
  return setDefaults(kind, decodeObject(kind, named).object);
}
