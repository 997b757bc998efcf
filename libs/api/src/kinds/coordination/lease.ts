import { fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { validateLeaseStrategy } from "./lease-strategy.js";

interface Lease extends ApiObject {
  readonly spec?: { readonly strategy?: string; readonly preferredHolder?: string };
}

/** The bounds of its numbers are data. */
export const lease = behavior<Lease>(() => ({
  validate: ({ spec: { strategy, preferredHolder = "" } = {} }) => [
    ...(strategy === undefined ? [] : validateLeaseStrategy(strategy, "spec.strategy")),
    ...(preferredHolder !== "" && (strategy ?? "") === ""
      ? [fieldError.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined")]
      : []),
  ],
}));
