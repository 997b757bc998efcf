import { equalJson } from "@orch/schema/equal.js";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type Resources, validateAmounts } from "./resources.js";

interface Node extends ApiObject {
  readonly spec?: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly providerID?: string;
    readonly taints?: readonly unknown[];
    readonly unschedulable?: boolean;
    readonly configSource?: unknown;
  };
  readonly status?: {
    readonly capacity?: Resources;
    readonly allocatable?: Resources;
    readonly addresses?: readonly unknown[];
  };
}

export const node = behavior<Node>(() => ({
  setDefaults: (object) => withAllocatable(withBothRanges(object)),
  validate: (object) => [
    ...validateRanges(object.spec?.podCIDRs ?? []),
    ...validateAmounts(object.status?.capacity, "status.capacity"),
    ...validateAmounts(object.status?.allocatable, "status.allocatable"),
  ],
  validateUpdate,
}));

/** `podCIDR` is the first of `podCIDRs`; where they disagree the single one wins. */
function withBothRanges(object: Node): Node {
  const { podCIDR, podCIDRs } = object.spec ?? {};
  if (podCIDR !== undefined && podCIDRs?.[0] !== podCIDR) {
    return { ...object, spec: { ...object.spec, podCIDRs: [podCIDR] } };
  }
  const [first] = podCIDRs ?? [];
  return podCIDR === undefined && first !== undefined
    ? { ...object, spec: { ...object.spec, podCIDR: first } }
    : object;
}

function withAllocatable(object: Node): Node {
  const { capacity, allocatable } = object.status ?? {};
  if (capacity === undefined || allocatable !== undefined) return object;
  return { ...object, status: { ...object.status, allocatable: capacity } };
}

function validateRanges(ranges: readonly string[]): FieldError[] {
  const at = "spec.podCIDRs";
  const networks = ranges.map(parseNetwork);
  const families = new Set(networks.map((n) => n?.address.length));
  return [
    ...ranges.flatMap((text, i) =>
      networks[i] === undefined
        ? [fieldError.invalid(`${at}[${i}]`, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")]
        : [],
    ),
    ...(ranges.length > 2 || families.size < ranges.length
      ? [fieldError.invalid(at, ranges, "may specify no more than one CIDR for each IP family")]
      : []),
  ];
}

function validateUpdate(object: Node, old: Node): FieldError[] {
  const { podCIDR, podCIDRs = [], providerID = "", taints, unschedulable, configSource, ...rest } = object.spec ?? {};
  const before = old.spec ?? {};
  const errors: FieldError[] = [];
  if ((before.podCIDRs ?? []).length > 0 && !equalJson(podCIDRs, before.podCIDRs)) {
    errors.push(fieldError.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((before.providerID ?? "") !== "" && providerID !== before.providerID) {
    errors.push(
      fieldError.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'),
    );
  }
  const {
    podCIDR: _a,
    podCIDRs: _b,
    providerID: _c,
    taints: _d,
    unschedulable: _e,
    configSource: _f,
    ...others
  } = before;
  if (!equalJson(rest, others)) {
    errors.push(fieldError.forbidden("spec", "node updates may only change labels, taints, or capacity"));
  }
  return errors;
}
