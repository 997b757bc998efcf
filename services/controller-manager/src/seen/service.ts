import type { Labels } from "@orch/api/selectors/labels.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Kind, Meta } from "../rim/objects.js";

export interface SeenServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly targetPort?: number | string;
  readonly appProtocol?: string;
}

export const serviceKind: Kind = {
  apiVersion: "v1",
  kind: "Service",
  collection: { group: "", version: "v1", resource: "services" },
};

/** What controllers read of a service. */
export interface SeenService extends ApiObject {
  readonly metadata: Meta;
  readonly spec?: {
    readonly type?: string;
    readonly selector?: Labels | null;
    readonly clusterIP?: string;
    readonly ipFamilies?: readonly string[];
    readonly ports?: readonly SeenServicePort[];
    readonly publishNotReadyAddresses?: boolean;
    readonly trafficDistribution?: string;
  };
}

/** Whether its pods are found by a selector, and published for it. */
export function selects({ spec = {} }: SeenService): boolean {
  return spec.selector !== undefined && spec.selector !== null && spec.type !== "ExternalName";
}

/** All labels of the selector are the pod's; an empty selector has every pod. */
export function isSelected(selector: Labels, labels: Labels | undefined): boolean {
  for (const [key, value] of Object.entries(selector)) if (labels?.[key] !== value) return false;
  return true;
}
