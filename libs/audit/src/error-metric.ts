/** The counter of lost events: of whoever was to deliver them, in gateways and in the service alike. */
export const auditErrorMetric = {
  name: "apiserver_audit_error_total",
  help: "Audit events that were lost, by the plugin that was to have them.",
  stability: "ALPHA",
  labels: ["plugin"],
} as const;
