import type { Naming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { nanoseconds, unless, within } from "../rules.js";
import { bool, duration, float, given, int32, maybe, type Struct, struct, text } from "../shape.js";

/** How a component speaks to the server. */
export interface ClientConnection extends JsonObject {
  /** Path of the client configuration file; empty: in the cluster, else the default address. */
  readonly orchconfig: string;
  readonly acceptContentTypes: string;
  readonly contentType: string;
  /** Requests a second; below zero: no limit. */
  readonly qps: number;
  readonly burst: number;
}

export function clientConnection(naming: Naming, qps: number, burst: number): Struct<ClientConnection> {
  return struct("ClientConnectionConfiguration", {
    orchconfig: text(),
    acceptContentTypes: text(),
    contentType: text(naming.protobufMediaType),
    qps: float(qps),
    burst: int32(burst),
  });
}

export const checkClientConnection = (value: ClientConnection, at: string): readonly FieldError[] =>
  within(`${at}.burst`, value.burst, { min: 0, says: "must be non-negative" });

/** Which of several processes acts. Durations as text. */
export interface LeaderElection extends JsonObject {
  readonly leaderElect: boolean;
  readonly leaseDuration: string;
  readonly renewDeadline: string;
  readonly retryPeriod: string;
  readonly resourceLock: string;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

export function leaderElection(naming: Naming, resourceName: string): Struct<LeaderElection> {
  return struct("LeaderElectionConfiguration", {
    leaderElect: given(bool(true)),
    leaseDuration: duration("15s"),
    renewDeadline: duration("10s"),
    retryPeriod: duration("2s"),
    resourceLock: text("leases"),
    resourceName: text(resourceName),
    resourceNamespace: text(naming.systemName("system")),
  });
}

/** All of it only where a leader is elected. The document allows a deadline that equals the duration; release 1.32 does not. */
export function checkLeaderElection(value: LeaderElection, at: string): readonly FieldError[] {
  if (!value.leaderElect) return [];
  const [lease, renew, retry] = [value.leaseDuration, value.renewDeadline, value.retryPeriod].map(nanoseconds);
  const positive = (["leaseDuration", "renewDeadline", "retryPeriod"] as const).flatMap((name) =>
    unless(nanoseconds(value[name]) > 0n, () =>
      fieldError.invalid(`${at}.${name}`, value[name], "must be greater than zero"),
    ),
  );
  const named = (["resourceLock", "resourceName", "resourceNamespace"] as const).flatMap((name) =>
    unless(value[name] !== "", () => fieldError.invalid(`${at}.${name}`, value[name], `${name} is required`)),
  );
  const ordered = lease !== undefined && renew !== undefined && retry !== undefined && positive.length === 0;
  return [
    ...positive,
    ...unless(!ordered || lease >= renew, () =>
      fieldError.invalid(
        `${at}.leaseDuration`,
        value.renewDeadline,
        "LeaseDuration must be greater than RenewDeadline",
      ),
    ),
    ...unless(!ordered || renew * 10n > retry * 12n, () =>
      fieldError.invalid(
        `${at}.renewDeadline`,
        value.renewDeadline,
        "renewDeadline must be greater than retryPeriod*JitterFactor",
      ),
    ),
    ...named,
    ...unless(value.resourceLock === "leases", () =>
      fieldError.invalid(`${at}.resourceLock`, value.resourceLock, 'resourceLock value must be "leases"'),
    ),
  ];
}

/** `enableContentionProfiling` is true beside profiling, unless the file says otherwise. */
export const debugging = {
  enableProfiling: given(bool(true)),
  enableContentionProfiling: maybe(bool()),
} as const;

/** Of `enableContentionProfiling`, for whoever runs on Node.js. */
export const noContentionProfile = "Node.js has no profile of contention";

/** The same members in a struct of their own. */
export const debuggingStruct = struct("DebuggingConfiguration", debugging);
