import type { Condition } from "../../kinds/shared/conditions.js";
import { type LabelSelector, selectorText } from "../../kinds/shared/label-selector.js";
import type { ApiObject } from "../../object.js";
import { type Cells, cell, none, unset } from "../cell.js";
import { humanDuration } from "../human-duration.js";

interface Binding extends ApiObject {
  readonly subjects?: readonly { readonly kind?: string; readonly namespace?: string; readonly name?: string }[];
}

interface CertificateSigningRequest extends ApiObject {
  readonly spec?: { readonly expirationSeconds?: number };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly certificate?: string };
}

interface PolicyBinding extends ApiObject {
  readonly spec?: {
    readonly paramRef?: { readonly name?: string; readonly namespace?: string; readonly selector?: LabelSelector };
  };
}

/** Of certificates, roles and admission policies. */
export const accessCells: Cells = [
  ["boundUsers", cell<Binding>((binding) => subjects(binding, "User"))],
  ["boundGroups", cell<Binding>((binding) => subjects(binding, "Group"))],
  ["boundServiceAccounts", cell<Binding>((binding) => subjects(binding, "ServiceAccount"))],
  ["requestedDuration", cell<CertificateSigningRequest>(requestedDuration)],
  ["requestCondition", cell<CertificateSigningRequest>(requestCondition)],
  ["paramRef", cell<PolicyBinding>(paramRef)],
];

function subjects({ subjects = [] }: Binding, kind: string): string {
  return subjects
    .filter((s) => s.kind === kind)
    .map(({ namespace = "", name = "" }) =>
      kind === "ServiceAccount" && namespace !== "" ? `${namespace}/${name}` : name,
    )
    .join(", ");
}

function requestedDuration({ spec }: CertificateSigningRequest): string {
  return spec?.expirationSeconds === undefined ? none : humanDuration(spec.expirationSeconds * 1000);
}

/** `Approved,Issued`: a condition's type is the decision, whatever its status. */
function requestCondition({ status }: CertificateSigningRequest): string {
  const types = (status?.conditions ?? []).map((c) => c.type);
  const decision = ["Denied", "Approved"].find((type) => types.includes(type)) ?? "Pending";
  const failed = types.includes("Failed") ? ",Failed" : "";
  return decision + failed + ((status?.certificate ?? "") === "" ? "" : ",Issued");
}

/** `*` is the namespace of the object at hand. */
function paramRef({ spec }: PolicyBinding): string {
  const { name = "", namespace = "", selector } = spec?.paramRef ?? {};
  if (name !== "") return `${namespace || "*"}/${name}`;
  return selectorText(selector) || unset;
}
