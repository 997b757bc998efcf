import { readJson } from "@orch/status/read-json.js";
import { textAt, valueAt } from "../json.js";

/** What only the page that began a sign-in knows, until its provider sends the browser back. */
export interface Pending {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** The token is to be kept for the tab. */
  readonly keep: boolean;
  /** Where in the console somebody was. */
  readonly hash: string;
}

/** The browser came back from the provider. */
export interface Returned {
  readonly parameters: URLSearchParams;
  /** Undefined where this tab has not begun it: somebody else may have made the link. */
  readonly pending: Pending | undefined;
}

const place = "orch-console-redirect";

/** The address to which providers send browsers back: that of the console, and nothing behind it. */
export const redirectAddress = (): string => location.origin + location.pathname;

/** Lies in the tab's session storage while the redirect is under way: {@link takeRedirect} takes it away. */
export function keepRedirect(pending: Pending): void {
  sessionStorage.setItem(place, JSON.stringify(pending));
}

/** What a redirect brought, once: afterwards neither the tab's storage nor the address tells of it. */
export function takeRedirect(): Returned | undefined {
  const kept = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has("state") || !(parameters.has("code") || parameters.has("error"))) return undefined;
  const pending = kept === null ? undefined : pendingOf(readJson(kept));
  history.replaceState(null, "", redirectAddress() + (pending?.hash ?? ""));
  return { parameters, pending };
}

function pendingOf(tree: unknown): Pending {
  return {
    verifier: textAt(tree, "verifier"),
    state: textAt(tree, "state"),
    nonce: textAt(tree, "nonce"),
    keep: valueAt(tree, "keep") === true,
    hash: textAt(tree, "hash"),
  };
}
