import {
  boolFlag,
  durationFlag,
  enumFlag,
  intFlag,
  listFlag,
  numberFlag,
  stringFlag,
} from "@orch/runtime/flags/flag-types.js";

/** Flags of the sinks; the reference server's names where it has them. */
export const sinkFlags = {
  "audit-log-path": stringFlag("", {
    group: "Audit",
    word: "file",
    help: "file that events are written to, one a line; - is standard output",
  }),
  "audit-log-format": stringFlag("json", {
    group: "Audit",
    word: "json|legacy",
    help: "JSON, or a line of words without bodies",
  }),
  "audit-log-maxage": intFlag(0, { group: "Audit", help: "days for which rotated files are kept; 0: for ever" }),
  "audit-log-maxbackup": intFlag(0, { group: "Audit", help: "rotated files that are kept; 0: all" }),
  "audit-log-maxsize": intFlag(0, { group: "Audit", help: "MiB after which the file is rotated; 0: 100" }),
  "audit-log-compress": boolFlag(false, { group: "Audit", help: "rotated files are compressed (gzip)" }),
  "audit-log-mode": stringFlag("blocking", {
    group: "Audit",
    word: "batch|blocking|blocking-strict",
    help: "whether requests wait for their events; blocking-strict refuses those whose first event cannot be kept",
  }),
  "audit-log-batch-buffer-size": intFlag(10000, {
    group: "Audit",
    help: "events that may be read ahead of those being delivered, in mode batch; the others wait in the spool",
  }),
  "audit-log-batch-max-size": intFlag(1, { group: "Audit", help: "events of a batch, in mode batch" }),
  "audit-log-batch-max-wait": durationFlag(0, {
    group: "Audit",
    help: "how long a batch waits for further events, in mode batch",
  }),
  "audit-log-batch-throttle-enable": boolFlag(false, { group: "Audit", help: "bounds the batches of a second" }),
  "audit-log-batch-throttle-qps": numberFlag(0, { group: "Audit", help: "batches a second, on average" }),
  "audit-log-batch-throttle-burst": intFlag(0, { group: "Audit", help: "batches at once after a pause" }),
  "audit-log-truncate-enabled": boolFlag(false, {
    group: "Audit",
    help: "events that are too large lose their bodies, and are left out where that does not help",
  }),
  "audit-log-truncate-max-event-size": intFlag(102_400, { group: "Audit", help: "bytes of an event" }),
  "audit-log-truncate-max-batch-size": intFlag(10_485_760, { group: "Audit", help: "bytes of a batch" }),
  "audit-log-version": stringFlag("", {
    group: "Audit",
    word: "group/version",
    help: "in which events are written; there is one, v1",
  }),
  "audit-webhook-config-file": stringFlag("", {
    group: "Audit",
    word: "file",
    help: "client configuration file of the webhook that events are sent to",
  }),
  "audit-webhook-initial-backoff": durationFlag(10_000, {
    group: "Audit",
    help: "time after a first failure; it grows with further ones, up to 30s",
  }),
  "audit-webhook-mode": stringFlag("batch", {
    group: "Audit",
    word: "batch|blocking|blocking-strict",
    help: "whether requests wait for their events; blocking-strict refuses those whose first event cannot be kept",
  }),
  "audit-webhook-batch-buffer-size": intFlag(10000, {
    group: "Audit",
    help: "events that may be read ahead of those being delivered, in mode batch; the others wait in the spool",
  }),
  "audit-webhook-batch-max-size": intFlag(400, { group: "Audit", help: "events of a batch, in mode batch" }),
  "audit-webhook-batch-max-wait": durationFlag(30000, {
    group: "Audit",
    help: "how long a batch waits for further events, in mode batch",
  }),
  "audit-webhook-batch-throttle-enable": boolFlag(true, { group: "Audit", help: "bounds the batches of a second" }),
  "audit-webhook-batch-throttle-qps": numberFlag(10, { group: "Audit", help: "batches a second, on average" }),
  "audit-webhook-batch-throttle-burst": intFlag(15, { group: "Audit", help: "batches at once after a pause" }),
  "audit-webhook-truncate-enabled": boolFlag(false, {
    group: "Audit",
    help: "events that are too large lose their bodies, and are left out where that does not help",
  }),
  "audit-webhook-truncate-max-event-size": intFlag(102_400, { group: "Audit", help: "bytes of an event" }),
  "audit-webhook-truncate-max-batch-size": intFlag(10_485_760, { group: "Audit", help: "bytes of a batch" }),
  "audit-webhook-version": stringFlag("", {
    group: "Audit",
    word: "group/version",
    help: "in which events are written; there is one, v1",
  }),
  "audit-kafka-brokers": listFlag([], {
    group: "Audit",
    help: "brokers of the Kafka cluster that events are sent to, as host:port, comma separated",
  }),
  "audit-kafka-topic": stringFlag("audit", {
    group: "Audit",
    word: "name",
    help: "topic of the events; their key is the id of the request",
  }),
  "audit-kafka-client-id": stringFlag("orch-audit", {
    group: "Audit",
    word: "name",
    help: "what brokers know this as",
  }),
  "audit-kafka-acks": enumFlag(["all", "leader", "none"], "all", {
    group: "Audit",
    help: "who has an event when it counts as delivered",
  }),
  "audit-kafka-compression": enumFlag(["none", "gzip"], "gzip", { group: "Audit", help: "of what is sent" }),
  "audit-kafka-timeout": durationFlag(30_000, { group: "Audit", help: "time that a broker has to answer" }),
  "audit-kafka-initial-backoff": durationFlag(1_000, {
    group: "Audit",
    help: "time after a first failure; it grows with further ones, up to 30s",
  }),
  "audit-kafka-tls": boolFlag(false, { group: "Audit", help: "brokers are reached by TLS" }),
  "audit-kafka-ca-file": stringFlag("", {
    group: "Audit",
    word: "file",
    help: "PEM of the authorities of the brokers' certificates; those of the machine where empty",
  }),
  "audit-kafka-cert-file": stringFlag("", {
    group: "Audit",
    word: "file",
    help: "PEM of a certificate for the brokers",
  }),
  "audit-kafka-key-file": stringFlag("", { group: "Audit", word: "file", help: "PEM of its key" }),
  "audit-kafka-sasl-mechanism": enumFlag(["none", "plain", "scram-sha-256", "scram-sha-512"], "none", {
    group: "Audit",
    help: "how this proves to brokers who it is",
  }),
  "audit-kafka-sasl-username-file": stringFlag("", { group: "Audit", word: "file", help: "holds the user's name" }),
  "audit-kafka-sasl-password-file": stringFlag("", { group: "Audit", word: "file", help: "holds the password" }),
  "audit-kafka-mode": stringFlag("batch", {
    group: "Audit",
    word: "batch|blocking|blocking-strict",
    help: "whether requests wait for their events; blocking-strict refuses those whose first event cannot be kept",
  }),
  "audit-kafka-batch-buffer-size": intFlag(10000, {
    group: "Audit",
    help: "events that may be read ahead of those being delivered, in mode batch; the others wait in the spool",
  }),
  "audit-kafka-batch-max-size": intFlag(400, { group: "Audit", help: "events of a batch, in mode batch" }),
  "audit-kafka-batch-max-wait": durationFlag(1000, {
    group: "Audit",
    help: "how long a batch waits for further events, in mode batch",
  }),
  "audit-kafka-batch-throttle-enable": boolFlag(false, { group: "Audit", help: "bounds the batches of a second" }),
  "audit-kafka-batch-throttle-qps": numberFlag(10, { group: "Audit", help: "batches a second, on average" }),
  "audit-kafka-batch-throttle-burst": intFlag(15, { group: "Audit", help: "batches at once after a pause" }),
  "audit-kafka-truncate-enabled": boolFlag(false, {
    group: "Audit",
    help: "events that are too large lose their bodies, and are left out where that does not help",
  }),
  "audit-kafka-truncate-max-event-size": intFlag(102_400, { group: "Audit", help: "bytes of an event" }),
  "audit-kafka-truncate-max-batch-size": intFlag(10_485_760, { group: "Audit", help: "bytes of a batch" }),
  "audit-kafka-version": stringFlag("", {
    group: "Audit",
    word: "group/version",
    help: "in which events are written; there is one, v1",
  }),
} as const;
