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

export const serviceAccount = behavior<ServiceAccount>((naming) => ({
  *warnings({ metadata }, { old }) {
    const annotation = naming.key("enforce-mountable-secrets");
    if (metadata.annotations?.[annotation] === undefined || old?.metadata.annotations?.[annotation] !== undefined)
      return;
    const why = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
    yield `metadata.annotations[${annotation}]: ${why}`;
  },
  prepareForCreate: named,
  prepareForUpdate: named,
}));
