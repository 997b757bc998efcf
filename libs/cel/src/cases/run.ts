import type { Dialect } from "@orch/naming/naming.js";
import { type ExpressionCase, runExpression } from "./expression.js";
import { type Got, runAuthentication, runAuthorization, runDevice } from "./kinds.js";

/** A row of any kind: what is given, and what the reference answered. */
export interface CaseRow {
  readonly id: string;
  readonly kind: string;
  readonly want: { readonly [key: string]: unknown };
}

export type { Got };

/** What this engine makes of a row; undefined for kinds that it does not serve alone. */
export function runCase(row: CaseRow, dialect: Dialect): Got | undefined {
  switch (row.kind) {
    case "expr":
      return runExpression(row as CaseRow & ExpressionCase, dialect);
    case "authn":
      return runAuthentication({ ...row }, dialect);
    case "authz":
      return runAuthorization({ ...row }, dialect);
    case "dra":
      return runDevice({ ...row }, dialect);
    default:
      return undefined;
  }
}

/** The parts of an answer that are not what was wanted. */
export function differences(want: Got, got: Got): Got | undefined {
  const wrong: { [key: string]: unknown } = {};
  for (const key of new Set([...Object.keys(want), ...Object.keys(got)])) {
    if (canonical(want[key]) !== canonical(got[key])) wrong[key] = { expected: want[key], got: got[key] };
  }
  return Object.keys(wrong).length === 0 ? undefined : wrong;
}

/** JSON with its keys in order; large integers as their digits. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "bigint") return String(part);
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Reads a row: integers beyond 2^53 stay exact. */
export function parseRow(line: string, read: typeof JSON.parse): CaseRow {
  const reviver = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    const isLarge = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isLarge && source !== undefined && isInteger(source) ? BigInt(source) : value;
  };
  return read(line, reviver) as CaseRow;
}

function isInteger(text: string): boolean {
  for (let i = text[0] === "-" ? 1 : 0; i < text.length; i++) {
    if (text.charCodeAt(i) < 48 || text.charCodeAt(i) > 57) return false;
  }
  return true;
}
