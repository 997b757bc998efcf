import { fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { validateLeaseStrategy } from "./lease-strategy.js";

interface Lease extends ApiObject {
  readonly spec?: { readonly strategy?: string; readonly preferredHolder?: string };
}

/** The bounds of its numbers are data. What elections among versions need is behind a gate that is off in this release. */
export const lease = behavior<Lease>(() => ({
  prepareForCreate: (object) => withoutElection(object, {}),
  prepareForUpdate: (object, old) => withoutElection(object, old.spec ?? {}),
  validate: ({ spec: { strategy, preferredHolder = "" } = {} }) => [
    ...(strategy === undefined ? [] : validateLeaseStrategy(strategy, "spec.strategy")),
    ...(preferredHolder !== "" && (strategy ?? "") === ""
      ? [fieldError.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined")]
      : []),
  ],
}));

/** What is stored of it may be changed. */
function withoutElection(object: Lease, stored: NonNullable<Lease["spec"]>): Lease {
  if (object.spec === undefined) return object;
  const { strategy, preferredHolder, ...spec } = object.spec;
  return {
    ...object,
    spec: {
      ...spec,
      ...(strategy === undefined || stored.strategy === undefined ? {} : { strategy }),
      ...(preferredHolder === undefined || stored.preferredHolder === undefined ? {} : { preferredHolder }),
    },
  };
}
