import type { Mode } from "@orch/audit/event.js";
import { stringFlag } from "@orch/runtime/flags/flag-types.js";

/** What is recorded of requests; which flags say where to differs between one process and several. */
export const auditFlags = {
  "audit-policy-file": stringFlag("", {
    group: "Audit",
    word: "file",
    help: "Policy: what is recorded of which requests; nothing without one",
  }),
} as const;

/** How a gateway audits. */
export interface GatewayAuditSettings {
  readonly policyFile: string;
  readonly mode: Mode;
  /** Where events wait while the service that keeps them is away. */
  readonly spool: { readonly folder: string; readonly maxBytes: number } | undefined;
}
