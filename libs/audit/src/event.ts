/** How much an event tells, from least to most. */
export const levels = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type Level = (typeof levels)[number];

/** When in a request's life an event is made. */
export const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type Stage = (typeof stages)[number];

/** Whether a request waits for its events, and whether it is refused where the first of them is not kept. */
export const modes = ["batch", "blocking", "blocking-strict"] as const;
export type Mode = (typeof modes)[number];

/** The strictest of some modes; batch of none. */
export function strictest(some: readonly Mode[]): Mode {
  return modes.findLast((mode) => some.includes(mode)) ?? "batch";
}

/** An event on its way to sinks: one JSON object in one line, without the line's end. */
export type EventLine = Buffer;

/** The same as it is made, which a gateway keeps for the moment until it goes with others. */
export type EventText = string;

/** An event, read from its line. Fields that nobody looks into here are left to the text. */
export interface AuditEvent {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly level?: string;
  readonly auditID?: string;
  readonly stage?: string;
  readonly requestURI?: string;
  readonly verb?: string;
  readonly user?: EventUser;
  readonly impersonatedUser?: EventUser;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: { readonly namespace?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp?: string;
  readonly stageTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface EventUser {
  readonly username?: string;
  readonly groups?: readonly string[];
}
