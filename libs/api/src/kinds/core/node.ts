import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import { labelValue, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import { nodeWarnings } from "./node-warnings.js";
import { each, oneOf } from "./pod/errors.js";
import { taintEffects } from "./pod/scheduling.js";
import { validateAmount } from "./resource-names.js";
import { type Resources, rounded } from "./resources.js";

interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

interface NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly taints?: readonly Taint[];
  readonly providerID?: string;
  readonly configSource?: unknown;
  readonly externalID?: string;
}

interface Node extends ApiObject {
  readonly spec?: NodeSpec;
  readonly status?: {
    readonly capacity?: Resources;
    readonly allocatable?: Resources;
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
    readonly config?: unknown;
    readonly features?: { readonly supplementalGroupsPolicy?: boolean };
  };
}

export const node = behavior<Node>((naming) => ({
  warnings: ({ spec }) => nodeWarnings(spec ?? {}, naming),
  withoutDisabled: (object, old, features) => {
    if (features.has("SupplementalGroupsPolicy") || old?.status?.features?.supplementalGroupsPolicy !== undefined) {
      return object;
    }
    const { features: _, ...status } = object.status ?? {};
    return object.status === undefined ? object : { ...object, status };
  },
  setDefaults: (object) => withAllocatable(withBothRanges(object)),
  prepareForCreate: (object) => withoutConfig(object, undefined),
  prepareForUpdate: withoutConfig,
  validate: (object) => [
    ...validateTaints(object.spec?.taints ?? []),
    ...validateCapacity(object, naming),
    ...validateRanges(object.spec?.podCIDRs ?? []),
  ],
  validateUpdate,
  parts: {
    status: {
      prepare: ({ metadata, status }, old) => {
        const { status: _, ...rest } = old;
        return withoutConfig({ ...rest, metadata, ...(status === undefined ? {} : { status }) }, old);
      },
      validate: (object, old) => [...validateCapacity(object, naming), ...validateUpdate(object, old)],
    },
  },
}));

/** Where a node read its own configuration from: nothing reads it any more, what is stored stays. */
function withoutConfig(object: Node, old: Node | undefined): Node {
  const { spec, status, ...rest } = object;
  const { configSource, ...restOfSpec } = spec ?? {};
  const { config, ...restOfStatus } = status ?? {};
  return {
    ...rest,
    ...(spec === undefined ? {} : { spec: old?.spec?.configSource === undefined ? restOfSpec : spec }),
    ...(status === undefined ? {} : { status: old?.status?.config === undefined ? restOfStatus : status }),
  };
}

/** At the metadata's path, as in the reference. */
function validateTaints(taints: readonly Taint[]): FieldError[] {
  const repeats = repeatsIn(taints.map(({ key, effect }) => JSON.stringify([key, effect])));
  return each(taints, "metadata.taints", (taint, at, i) => {
    const { key = "", value = "", effect = "" } = taint;
    return [
      ...invalidFor(`${at}.key`, key, qualifiedName(key)),
      ...invalidFor(`${at}.value`, value, labelValue(value)),
      ...(effect === "" ? [fieldError.required(`${at}.effect`)] : oneOf(`${at}.effect`, effect, taintEffects)),
      ...(repeats.has(i) ? [repeatedTaint(at, taint)] : []),
    ];
  });
}

function repeatedTaint(at: string, taint: Taint): FieldError {
  const { message, ...error } = fieldError.duplicate(at, taint);
  return { ...error, message: `${message}: taints must be unique by key and effect pair` };
}

/** The name of a resource stands behind a dot, as in the reference. */
function validateCapacity({ status = {} }: Node, naming: Naming): FieldError[] {
  const lists = ["capacity", "allocatable"] as const;
  return lists.flatMap((list) =>
    Object.entries(status[list] ?? {}).flatMap(([name, amount]) =>
      validateAmount(name, amount, { at: `status.${list}.${name}`, naming }),
    ),
  );
}

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

/** All may be given away unless the node says otherwise. */
function withAllocatable(object: Node): Node {
  const { status } = object;
  const capacity = status?.capacity === undefined ? undefined : rounded(status.capacity);
  const allocatable = status?.allocatable === undefined ? capacity : rounded(status.allocatable);
  if (allocatable === undefined) return object;
  return { ...object, status: { ...status, ...(capacity === undefined ? {} : { capacity }), allocatable } };
}

function validateRanges(ranges: readonly string[]): FieldError[] {
  const at = "spec.podCIDRs";
  const networks = ranges.map(parseNetwork);
  const families = new Set(networks.map((n) => n?.address.length));
  const repeats = repeatsIn(ranges);
  return [
    ...ranges.flatMap((text, i) =>
      networks[i] === undefined
        ? [fieldError.invalid(`${at}[${i}]`, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")]
        : [],
    ),
    ...(ranges.length > 2 || families.size < ranges.length
      ? [fieldError.invalid(at, ranges, "may specify no more than one CIDR for each IP family")]
      : []),
    ...ranges.flatMap((text, i) => (repeats.has(i) ? [fieldError.duplicate(`${at}[${i}]`, text)] : [])),
  ];
}

function validateUpdate({ spec = {}, status = {} }: Node, { spec: old = {} }: Node): FieldError[] {
  const { addresses = [] } = status;
  const repeats = repeatsIn(addresses.map(({ type, address }) => JSON.stringify([type, address])));
  const errors = [...repeats].map((i) => fieldError.duplicate(`status.addresses[${i}]`, addresses[i]));
  if ((old.podCIDRs ?? []).length > 0 && !equalJson(spec.podCIDRs, old.podCIDRs)) {
    errors.push(fieldError.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((old.providerID ?? "") !== "" && spec.providerID !== old.providerID) {
    errors.push(
      fieldError.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'),
    );
  }
  if (spec.externalID !== old.externalID) {
    errors.push(fieldError.forbidden("spec.externalID", "may not be updated"));
  }
  return errors;
}
