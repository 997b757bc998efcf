import type { Naming } from "@orch/naming/naming.js";
import type { Was } from "../../behavior.js";
import { claimSpecWarnings } from "../core/claim-warnings.js";
import { templateWarnings } from "../core/pod/warning/template-warnings.js";
import type { StatefulSet } from "./types.js";

export function statefulSetWarnings(naming: Naming) {
  const ofTemplate = templateWarnings<StatefulSet>(naming, {
    at: "spec.template",
    template: ({ spec }) => spec?.template,
    named: false,
  });
  return function* (object: StatefulSet, was: Was<StatefulSet>): Iterable<string> {
    yield* ofTemplate(object, was);
    const below = was.old === undefined ? "" : ".Spec";
    for (const [i, claim] of (object.spec?.volumeClaimTemplates ?? []).entries()) {
      yield* claimSpecWarnings(claim.spec ?? {}, `spec.volumeClaimTemplates[${i}]${below}`);
    }
  };
}
