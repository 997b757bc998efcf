import { dnsLabel, domainPrefixedPath } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import { requiredText } from "../shared/required-text.js";
import { validateReference } from "./ingress.js";
import type { IngressClass } from "./types.js";

type Parameters = NonNullable<NonNullable<IngressClass["spec"]>["parameters"]>;

const scopes = ["Cluster", "Namespace"];

/** How long a controller's name may be, and that it stays, are data. */
export const ingressClass = behavior<IngressClass>(() => ({
  validate: ({ spec: { controller, parameters } = {} }) => [
    ...requiredText("spec.controller", controller, domainPrefixedPath),
    ...(parameters === undefined ? [] : validateParameters(parameters, "spec.parameters")),
  ],
}));

function validateParameters(parameters: Parameters, at: string): FieldError[] {
  const { scope, namespace } = parameters;
  const reference = validateReference(parameters, at);
  if (scope === undefined) return [...reference, fieldError.required(`${at}.scope`)];
  if (!scopes.includes(scope)) return [...reference, fieldError.notSupported(`${at}.scope`, scope, scopes)];
  if (scope === "Cluster") {
    if (namespace === undefined) return reference;
    return [...reference, fieldError.forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")];
  }
  if (namespace === undefined) {
    return [...reference, fieldError.required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")];
  }
  return [...reference, ...invalidFor(`${at}.namespace`, namespace, dnsLabel(namespace))];
}
