import { fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface Binding extends ApiObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

/** A pod is bound to a node. */
export const binding = behavior<Binding>(() => ({
  validate: ({ target: { kind = "", name = "" } = {} }) => [
    ...(kind === "" || kind === "Node" ? [] : [fieldError.notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [fieldError.required("target.name")] : []),
  ],
}));
