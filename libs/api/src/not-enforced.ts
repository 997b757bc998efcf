import type { Naming } from "@orch/naming/naming.js";
import type { Kind } from "./catalog.js";

/** What is stored and validated, and has no effect yet. */
interface Row {
  /** Of the kind that is stored. */
  readonly group: Word;
  readonly kind: string;
  readonly why: string;
  /** Only objects with a label whose name begins so. */
  readonly labels?: Word;
}

type Word = (naming: Naming) => string;
const plain =
  (group: string): Word =>
  () =>
    group;
const system =
  (short: string): Word =>
  (naming) =>
    naming.group(short);
const podSecurity: Word = ({ keyDomain }) => `pod-security.${keyDomain}/`;

const webhooks = "no webhooks are called";
const policies = "no admission policies are evaluated";
const ranges = "addresses of services come from the flags of the server alone";

/** The feature that lands removes its row, and with it the warning; README.md, "Not yet", says the same to readers. */
const rows: readonly Row[] = [
  { group: system("admissionregistration"), kind: "MutatingWebhookConfiguration", why: webhooks },
  { group: system("admissionregistration"), kind: "ValidatingWebhookConfiguration", why: webhooks },
  { group: system("admissionregistration"), kind: "ValidatingAdmissionPolicy", why: policies },
  { group: system("admissionregistration"), kind: "ValidatingAdmissionPolicyBinding", why: policies },
  { group: system("admissionregistration"), kind: "MutatingAdmissionPolicy", why: policies },
  { group: system("admissionregistration"), kind: "MutatingAdmissionPolicyBinding", why: policies },
  { group: system("apiregistration"), kind: "APIService", why: "no request is passed on to another server" },
  { group: plain(""), kind: "ResourceQuota", why: "nothing is counted or limited" },
  { group: plain(""), kind: "Namespace", labels: podSecurity, why: "pods are not held to security standards" },
  { group: plain("policy"), kind: "PodSecurityPolicy", why: "pods are not held to it" },
  { group: system("networking"), kind: "ServiceCIDR", why: ranges },
  { group: system("networking"), kind: "IPAddress", why: ranges },
];

type Labels = Readonly<Record<string, string>> | undefined;

/** Says of a written object what it asks for in vain; undefined of nearly all. */
export type NotEnforced = (kind: Kind, labels: () => Labels) => string | undefined;

/** `labels` is asked only where they decide. */
export function createNotEnforced(naming: Naming): NotEnforced {
  const known = new Map(rows.map((row) => [`${row.group(naming)}/${row.kind}`, row]));
  return ({ hub }, labels) => {
    const row = known.get(`${hub.group}/${hub.kind}`);
    if (row === undefined) return undefined;
    if (row.labels === undefined) return `${row.kind} is stored and not enforced yet: ${row.why}`;
    const prefix = row.labels(naming);
    const label = Object.keys(labels() ?? {}).find((name) => name.startsWith(prefix));
    return label === undefined ? undefined : `label ${label} is stored and not enforced yet: ${row.why}`;
  };
}
