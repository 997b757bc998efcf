import type { Naming } from "@orch/naming/naming.js";
import type { Resources } from "../kinds/core/resources.js";
import type { AnyObject } from "../object.js";
import { sumOf } from "./amounts.js";
import type { QuotaEvaluator } from "./types.js";

interface Claim extends AnyObject {
  readonly spec?: {
    readonly devices?: {
      readonly requests?: readonly {
        readonly deviceClassName?: string;
        readonly allocationMode?: string;
        readonly count?: number | bigint;
      }[];
    };
  };
}

/** A claim can be given no more: that many is what one of all devices is charged with. */
const mostDevices = 32;

/** What the name of a class becomes to limit its devices. */
export function devicesSuffix(naming: Naming): string {
  return `.deviceclass.${naming.group("resource")}/devices`;
}

/** ResourceClaims are counted, and the devices that they ask for, of each class. Their spec never changes. */
export function deviceClaimEvaluator(naming: Naming): QuotaEvaluator {
  const suffix = devicesSuffix(naming);
  const countName = `count/resourceclaims.${naming.group("resource")}`;
  return {
    countsUpdates: false,
    isIn: () => false,
    missing: () => undefined,
    matching: (given) => given.filter((name) => name === countName || name.endsWith(suffix)),
    usage({ spec }: Claim) {
      const used = new Map<string, string>([[countName, "1"]]);
      for (const { deviceClassName = "", allocationMode, count = 1 } of spec?.devices?.requests ?? []) {
        const devices = allocationMode === "All" ? mostDevices : count;
        const name = deviceClassName + suffix;
        used.set(name, sumOf(used.get(name), String(devices)));
      }
      const resources: Resources = Object.fromEntries(used);
      return resources;
    },
  };
}
