/** How a flag of the reference server is written: `bool` stands alone, or as `--name=false`. */
export type Shape = "bool" | "value";

/** Flags of the reference server that mean nothing here. They are taken, one line says so, and that is all. */
export const passedOver: Readonly<Record<string, Shape>> = {
  "allow-metric-labels": "value",
  "allow-metric-labels-manifest": "value",
  "contention-profiling": "bool",
  "coordinated-leadership-lease-duration": "value",
  "coordinated-leadership-renew-deadline": "value",
  "coordinated-leadership-retry-period": "value",
  "cors-allowed-origins": "value",
  "debug-socket-path": "value",
  "default-watch-cache-size": "value",
  "delete-collection-workers": "value",
  "disable-http2-serving": "bool",
  "enable-logs-handler": "bool",
  "endpoint-reconciler-type": "value",
  "etcd-count-metric-poll-period": "value",
  "etcd-db-metric-poll-interval": "value",
  "etcd-healthcheck-timeout": "value",
  "etcd-readycheck-timeout": "value",
  "external-hostname": "value",
  "goaway-chance": "value",
  "kubelet-read-only-port": "value",
  "kubernetes-service-node-port": "value",
  "lease-reuse-duration-seconds": "value",
  "log-flush-frequency": "value",
  "log-json-info-buffer-size": "value",
  "log-json-split-stream": "bool",
  "log-text-info-buffer-size": "value",
  "log-text-split-stream": "bool",
  "max-connection-bytes-per-sec": "value",
  "peer-advertise-ip": "value",
  "peer-advertise-port": "value",
  "peer-ca-file": "value",
  "permit-address-sharing": "bool",
  "permit-port-sharing": "bool",
  "service-account-signing-endpoint": "value",
  "shutdown-watch-termination-grace-period": "value",
  "storage-backend": "value",
  "storage-initialization-timeout": "value",
  "storage-media-type": "value",
  "strict-transport-security-directives": "value",
  vmodule: "value",
  "watch-cache": "bool",
  "watch-cache-sizes": "value",
};

/** Flags of the reference server that orch has by another name. */
export const renamed: Readonly<Record<string, string>> = {
  "audit-webhook-batch-initial-backoff": "audit-webhook-initial-backoff",
};
