import { authorizationFlags } from "@orch/access/flags.js";
import { historyFlags } from "@orch/access/object-history.js";
import { durationFlag } from "@orch/runtime/flags/flag-types.js";
import { admissionFlags } from "./admission/flags.js";
import { advertiseAddressFlag, allocationFlags } from "./allocation/flags.js";
import { tokenFlags } from "./token-flags.js";

/** Flags of whatever takes writes. */
export const resourceFlags = {
  "event-ttl": durationFlag(3_600_000, {
    group: "API",
    help: "how long kinds that expire are kept after their last change",
  }),
  ...allocationFlags,
  ...historyFlags("off"),
  ...tokenFlags,
  ...authorizationFlags,
  ...admissionFlags,
  "advertise-address": advertiseAddressFlag,
} as const;
