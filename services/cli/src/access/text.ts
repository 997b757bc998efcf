import { ruleText } from "@orch/auth/rbac/covers.js";
import type { RbacReason } from "@orch/auth/rbac/read-reason.js";
import type { Allowance, Reference } from "@orch/auth/rbac/who-may.js";
import { printable } from "../explain/session.js";

/** Rules of a role that one answer shows. */
const mostRules = 5;

export function referenceText({ kind, name, namespace }: Reference): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

export function allowanceLines({ subject, binding, role, rules }: Allowance): readonly string[] {
  const [to, by, of] = [subject, binding, role].map(referenceText);
  const shown = rules.slice(0, mostRules).map((rule) => `    rule ${ruleText(rule)}`);
  const more = rules.length > mostRules ? [`    and ${rules.length - mostRules} more rules`] : [];
  return [`  ${to}`, `    by ${by} of ${of}`, ...shown, ...more];
}

/** Whether an allowance is the one that a decision names. */
export function isReason({ subject, binding, role }: Allowance, reason: RbacReason): boolean {
  const same = (
    a: Reference,
    b: { readonly kind: string; readonly name: string; readonly namespace?: string },
  ): boolean => a.kind === b.kind && a.name === b.name && (b.namespace === undefined || a.namespace === b.namespace);
  return same(subject, reason.subject) && same(binding, reason.binding) && same(role, reason.role);
}

export interface WhoCan {
  readonly question: string;
  readonly allowances: readonly Allowance[];
  readonly notes: readonly string[];
}

export function whoCanText({ question, allowances, notes }: WhoCan): string {
  const head = allowances.length === 0 ? `RBAC lets nobody ${question}` : `by RBAC these may ${question}:`;
  return printable([head, ...allowances.flatMap(allowanceLines), ...notes.map((note) => `note: ${note}`)].join("\n"));
}

export interface CanI {
  readonly question: string;
  readonly allowed: boolean;
  /** What the server says of its decision; empty where it says nothing. */
  readonly reason: string;
  readonly user: { readonly name: string; readonly groups: readonly string[] } | undefined;
  /** The one that decided. */
  readonly decisive: Allowance | undefined;
  readonly others: readonly Allowance[];
  readonly notes: readonly string[];
}

export function canIText({ question, allowed, reason, user, decisive, others, notes }: CanI): string {
  const who = user === undefined ? "you" : `${user.name} (groups ${user.groups.join(", ") || "none"})`;
  return printable(
    [
      allowed ? "yes" : "no",
      `${who} ${allowed ? "may" : "may not"} ${question}`,
      ...(reason === "" ? [] : [`the server's reason: ${reason}`]),
      ...(decisive === undefined ? [] : ["decided by", ...allowanceLines(decisive)]),
      ...(others.length === 0 ? [] : [decisive === undefined ? "RBAC allows it by" : "also allowed by"]),
      ...others.flatMap(allowanceLines),
      ...notes.map((note) => `note: ${note}`),
    ].join("\n"),
  );
}
