import { type Conversions, conversion } from "../../conversion.js";
import { withAnnotations } from "../shared/annotations.js";
import { zeroSharesKey } from "./priority-level.js";
import type { PriorityLevelConfiguration } from "./types.js";

/** 0 shares are a number in v1; v1beta3 says with an annotation that they are meant. */
const priorityLevel = conversion<PriorityLevelConfiguration, PriorityLevelConfiguration>((naming) => {
  const key = zeroSharesKey(naming);
  return {
    toHub: (object) => {
      const metadata = withAnnotations(object.metadata, { [key]: undefined });
      const { limited } = object.spec ?? {};
      if (limited === undefined) return { ...object, metadata };
      const nominalConcurrencyShares = limited.nominalConcurrencyShares ?? 0;
      return { ...object, metadata, spec: { ...object.spec, limited: { ...limited, nominalConcurrencyShares } } };
    },
    fromHub: (object) => {
      if (object.spec?.limited?.nominalConcurrencyShares !== 0) return object;
      return { ...object, metadata: withAnnotations(object.metadata, { [key]: "" }) };
    },
  };
});

export const flowcontrolConversions: Conversions = [["flowcontrol/v1beta3.PriorityLevelConfiguration", priorityLevel]];
