import type { Service } from "@orch/api/kinds/core/service/service-spec.js";
import type { AdmissionPlugin } from "./admission.js";
import { refused } from "./refused.js";

/** No service takes the traffic of an address that is not its own; addresses that it has may go. */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: "DenyServiceExternalIPs",
    handles: ({ group, plural }, subresource) => group === "" && plural === "services" && subresource === "",
    validate({ write, object, old }) {
      const before = new Set(old === undefined ? [] : addressesOf(old));
      if (addressesOf(object).every((address) => before.has(address))) return;
      throw refused(write, object, "Use of external IPs is denied by admission control");
    },
  };
}

function addressesOf({ spec }: Service): readonly string[] {
  return spec?.externalIPs ?? [];
}
