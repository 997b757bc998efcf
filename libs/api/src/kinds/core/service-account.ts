import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface ServiceAccount extends ApiObject {
  readonly secrets?: readonly { readonly name?: string }[];
}

/** References to secrets keep their name alone. */
function named(object: ServiceAccount): ServiceAccount {
  if (object.secrets === undefined) return object;
  return { ...object, secrets: object.secrets.map(({ name }) => (name === undefined ? {} : { name })) };
}

export const serviceAccount = behavior<ServiceAccount>(() => ({ prepareForCreate: named, prepareForUpdate: named }));
