import type { Naming } from "@orch/naming/naming.js";
import { cut } from "@orch/status/cut.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Approval } from "../kinds/apiextensions/approval.js";
import { unstructured, validateStructural } from "../kinds/apiextensions/schema/structural.js";
import type { DefinitionNames, DefinitionSpec, DefinitionStatus } from "../kinds/apiextensions/types.js";
import type { Condition } from "../kinds/shared/conditions.js";
import { validateCaBundle } from "../kinds/shared/webhook-client.js";

/** A condition of a definition, without the time of its last change. */
export interface DefinitionCondition {
  readonly type:
    | "Established"
    | "NamesAccepted"
    | "NonStructuralSchema"
    | "KubernetesAPIApprovalPolicyConformant"
    | "Terminating";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** What is looked at of a definition to judge its names. */
export interface NamesAsked {
  readonly names: DefinitionNames;
  readonly status: DefinitionStatus | undefined;
  /** Whether its webhook, if it has one, can be trusted: {@link hasUsableBundle}. */
  readonly isCallable: boolean;
}

export interface NamesJudged {
  readonly acceptedNames: DefinitionNames;
  readonly conditions: readonly DefinitionCondition[];
}

/**
 * Which of its names a definition may have beside those that others of its group were given, and what is said of it. A name
 * that is refused leaves the one that was accepted before; undefined where every name is accepted already.
 */
export function judgeNames(
  { names, status, isCallable }: NamesAsked,
  others: Iterable<DefinitionNames | undefined>,
): NamesJudged | undefined {
  const before = status?.acceptedNames ?? {};
  if (sameNames(names, before)) return undefined;
  const { resources, kinds } = namesInUse(others);
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const accepted = (word: string, reason: string, used: ReadonlySet<string>): boolean => {
    if (!used.has(word)) return true;
    conflict = { reason, message: `${JSON.stringify(word)} is already in use` };
    return false;
  };
  const one = <T extends "plural" | "singular" | "kind" | "listKind">(name: T, used: ReadonlySet<string>): object => {
    const [wanted = "", had = ""] = [names[name], before[name]];
    const reason = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Conflict`;
    const given = wanted === had || accepted(wanted, reason, used) ? wanted : had;
    return given === "" ? {} : { [name]: given };
  };
  const { shortNames: wantedShort = [], categories } = names;
  const plural = one("plural", resources);
  const singular = one("singular", resources);
  const known = new Set(before.shortNames);
  const refused = wantedShort.filter((word) => !known.has(word) && resources.has(word));
  if (refused.length > 0) {
    const messages = refused.map((word) => `${JSON.stringify(word)} is already in use`);
    conflict = {
      reason: "ShortNamesConflict",
      message: messages.length === 1 ? messages.join() : `[${messages.join(", ")}]`,
    };
  }
  const shortNames = refused.length > 0 ? before.shortNames : names.shortNames;
  const acceptedNames: DefinitionNames = {
    ...plural,
    ...singular,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...one("kind", kinds),
    ...one("listKind", kinds),
    ...(categories === undefined ? {} : { categories }),
  };
  return { acceptedNames, conditions: conditionsOf(conflict, { status, isCallable }) };
}

function conditionsOf(
  conflict: { readonly reason: string; readonly message: string } | undefined,
  { status, isCallable }: Pick<NamesAsked, "status" | "isCallable">,
): readonly DefinitionCondition[] {
  const isEstablished = status?.conditions?.some((c) => c.type === "Established" && c.status === "True") ?? false;
  const noConflict = { reason: "NoConflicts", message: "no conflicts found" };
  const ready = isCallable ? established : invalidBundle;
  return [
    { type: "NamesAccepted", status: conflict === undefined ? "True" : "False", ...(conflict ?? noConflict) },
    // What is served once stays served, under the names that it has.
    ...(isEstablished ? [] : [conflict === undefined ? ready : notAccepted]),
  ];
}

const established: DefinitionCondition = {
  ...{ type: "Established", status: "True" },
  ...{ reason: "InitialNamesAccepted", message: "the initial names have been accepted" },
};
const notAccepted: DefinitionCondition = {
  ...{ type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
};
const invalidBundle: DefinitionCondition = {
  ...{ type: "Established", status: "False", reason: "InvalidCABundle" },
  message: "The conversion webhook CABundle is invalid",
};

/** Whether the certificates by which a definition's webhook is to be trusted can be read; true where it has none. */
export function hasUsableBundle({ conversion }: Pick<DefinitionSpec, "conversion">): boolean {
  const bundle = conversion?.webhookClientConfig?.caBundle ?? "";
  return bundle === "" || validateCaBundle(bundle, "").length === 0;
}

/** A definition that waited for nothing but readable certificates is established when it has them. */
export function judgeWaiting({ status, isCallable }: Omit<NamesAsked, "names">): DefinitionCondition | undefined {
  const said = status?.conditions?.find(({ type }) => type === "Established");
  return isCallable && said?.status === "False" && said.reason === invalidBundle.reason ? established : undefined;
}

/** Of schemas with very many faults the first are told. */
const longestMessage = 8192;

/**
 * What is said of a definition whose schemas have not the structure that pruning goes by; undefined for most. Only a
 * definition that keeps unknown fields may have such schemas: an old client made it.
 */
export function judgeStructure({
  preserveUnknownFields,
  versions = [],
  validation,
}: DefinitionSpec): DefinitionCondition | undefined {
  if (preserveUnknownFields === false) return undefined;
  const type = "NonStructuralSchema";
  const errors: FieldError[] =
    preserveUnknownFields === true ? [fieldError.invalid("spec.preserveUnknownFields", true, "must be false")] : [];
  for (const [i, { name = "", schema = validation }] of versions.entries()) {
    const written = schema?.openAPIV3Schema;
    if (written === undefined) continue;
    const why = unstructured(written);
    if (why !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${why}`;
      return { type, status: "Unknown", reason: "StructuralError", message: cut(message, longestMessage) };
    }
    errors.push(...validateStructural(written, `spec.versions[${i}].schema.openAPIV3Schema`));
  }
  if (errors.length === 0) return undefined;
  const [first, ...more] = new Set(errors.map(({ field, message }) => `${field}: ${message}`));
  const message = more.length === 0 ? `${first}` : `[${[first, ...more].join(", ")}]`;
  return { type, status: "True", reason: "Violations", message: cut(message, longestMessage) };
}

function namesInUse(others: Iterable<DefinitionNames | undefined>) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const names of others) {
    if (names === undefined) continue;
    for (const word of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (word) resources.add(word);
    for (const word of [names.kind, names.listKind]) if (word) kinds.add(word);
  }
  return { resources, kinds };
}

function sameNames(one: DefinitionNames, other: DefinitionNames): boolean {
  const text = ({ plural, singular, shortNames = [], kind, listKind, categories = [] }: DefinitionNames): string =>
    JSON.stringify([plural ?? "", singular ?? "", shortNames, kind ?? "", listKind ?? "", categories]);
  return text(one) === text(other);
}

const approvals = {
  missing: { status: "False", reason: "MissingAnnotation" },
  refused: { status: "False", reason: "InvalidAnnotation" },
  bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  approved: { status: "True", reason: "ApprovedAnnotation" },
} as const;

/** What is said of a protected group's approval; undefined where the group is not protected. */
export function judgeApproval(approval: Approval | undefined): DefinitionCondition | undefined {
  if (approval === undefined) return undefined;
  return { type: "KubernetesAPIApprovalPolicyConformant", ...approvals[approval.state], message: approval.message };
}

/** A status without what is not so any more. */
export function withoutCondition(status: DefinitionStatus, gone: DefinitionCondition["type"]): DefinitionStatus {
  return { ...status, conditions: status.conditions?.filter(({ type }) => type !== gone) ?? [] };
}

/** A status with conditions set: the time of one moves with its status alone. */
export function withConditions(
  status: DefinitionStatus,
  conditions: readonly DefinitionCondition[],
  now: string,
): DefinitionStatus {
  const set = new Map<string, Condition>((status.conditions ?? []).map((one) => [one.type ?? "", one]));
  for (const condition of conditions) {
    const before = set.get(condition.type);
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    set.set(condition.type, { ...before, ...condition, lastTransitionTime });
  }
  return { ...status, conditions: [...set.values()] };
}

/** Whether a status says all of this already. */
export function saysSo(status: DefinitionStatus | undefined, conditions: readonly DefinitionCondition[]): boolean {
  return conditions.every(({ type, status: state, reason, message }) =>
    status?.conditions?.some(
      (one) => one.type === type && one.status === state && one.reason === reason && one.message === message,
    ),
  );
}

/** Held until every object of a definition is gone. */
export function definitionFinalizer(naming: Naming): string {
  return `customresourcecleanup.${naming.group("apiextensions")}`;
}

const terminating = { type: "Terminating", status: "True" } as const;

export const deletionPending: DefinitionCondition = {
  ...{ ...terminating, reason: "InstanceDeletionPending" },
  message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
};

export const deletionInProgress: DefinitionCondition = {
  ...{ ...terminating, reason: "InstanceDeletionInProgress" },
  message: "CustomResource deletion is in progress",
};
