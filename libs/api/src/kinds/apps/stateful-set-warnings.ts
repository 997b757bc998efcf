import type { Naming } from "@orch/naming/naming.js";
import type { Was } from "../../behavior.js";
import { claimSpecWarnings } from "../core/claim-warnings.js";
import { templateWarnings } from "../core/pod/warning/template-warnings.js";
import type { StatefulSet, StatefulSetSpec } from "./types.js";

interface Spec extends StatefulSetSpec {
  readonly revisionHistoryLimit?: number;
}

export function statefulSetWarnings(naming: Naming) {
  const ofTemplate = templateWarnings<StatefulSet>(naming, {
    at: "spec.template",
    template: ({ spec }) => spec?.template,
    named: false,
  });
  return function* (object: StatefulSet, was: Was<StatefulSet>): Iterable<string> {
    yield* ofTemplate(object, was);
    const spec: Spec = object.spec ?? {};
    for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
      yield* claimSpecWarnings(claim.spec ?? {}, `spec.volumeClaimTemplates[${i}]`);
    }
    if (spec.revisionHistoryLimit !== undefined && spec.revisionHistoryLimit < 0) {
      yield "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
    }
  };
}
