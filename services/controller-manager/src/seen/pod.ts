import type { ApiObject } from "@orch/client/objects.js";
import type { RawToleration } from "@orch/scheduling/model/objects.js";
import type { Meta } from "../rim/objects.js";
import type { SeenCondition } from "./conditions.js";

export interface SeenPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly protocol?: string;
}

/** What the controllers of services, budgets and nodes read of a pod. */
export interface SeenPod extends ApiObject {
  readonly metadata: Meta;
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostname?: string;
    readonly subdomain?: string;
    readonly restartPolicy?: string;
    readonly containers?: readonly { readonly ports?: readonly SeenPort[] }[];
    readonly tolerations?: readonly (RawToleration & { readonly tolerationSeconds?: number | bigint })[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly conditions?: readonly SeenCondition[];
  };
}
