import type { ApiObject } from "@orch/client/objects.js";
import type { Meta } from "../rim/objects.js";
import type { SeenCondition } from "./conditions.js";

export interface SeenTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string | null;
}

/** What controllers read of a node. */
export interface SeenNode extends ApiObject {
  readonly metadata: Meta;
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly providerID?: string;
    readonly taints?: readonly SeenTaint[];
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
  };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly SeenCondition[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}
