import type { AnyObject } from "@orch/api/object.js";
import type { Write } from "../write/write.js";
import { type AdmissionPlugin, checkedEarly } from "./admission.js";
import { refused } from "./refused.js";

/** For tests of clients: nobody writes anything but the server itself, which would not start without. */
export function alwaysDeny(): AdmissionPlugin {
  const deny = (write: Write, object: AnyObject): void => {
    if (write.own === undefined) throw refused(write, object, "admission control is denying all modifications");
  };
  return {
    name: "AlwaysDeny",
    handles: () => true,
    connects: true,
    ...checkedEarly(async ({ write, object }) => deny(write, object)),
    validateDelete: deny,
  };
}
