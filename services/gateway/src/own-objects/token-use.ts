import type { SecretUse } from "@orch/auth/service-account/authenticator.js";
import type { Naming } from "@orch/naming/naming.js";
import { type OwnKind, type OwnWriteDeps, patchOwn } from "./write.js";

const secrets: OwnKind = { group: "", version: "v1", resource: "secrets" };
/** Uses that were recorded lately; what is forgotten is written once more at most. */
const remembered = 10_000;

/** The day of a moment in milliseconds since 1970: `2026-01-31`, UTC. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The config map that says since when the use of Secrets' tokens is recorded. */
export const trackingMap = (naming: Naming): string =>
  `${naming.systemName("apiserver")}-legacy-service-account-token-tracking`;

/** Whether the data of that map name a day. */
export function isTracking(data: unknown): boolean {
  if (typeof data !== "object" || data === null || !("since" in data)) return false;
  const { since } = data;
  return typeof since === "string" && since.length === 10 && !Number.isNaN(Date.parse(since));
}

export interface TokenUseDeps extends OwnWriteDeps {
  readonly log: (error: unknown) => void;
}

/** Records in labels of Secrets when their tokens were used last: once a day each, and no request waits for it. */
export function createTokenUse({ log, ...deps }: TokenUseDeps): (use: SecretUse) => void {
  const label = deps.naming.key("legacy-token-last-used");
  const recorded = new Map<string, string>();
  return ({ namespace, name, day }) => {
    const key = `${namespace}/${name}`;
    if (recorded.get(key) === day) return;
    if (recorded.size >= remembered) recorded.clear();
    recorded.set(key, day);
    patchOwn(deps, secrets, { namespace, name }, { metadata: { labels: { [label]: day } } }).catch((error: unknown) => {
      recorded.delete(key);
      log(error);
    });
  };
}
