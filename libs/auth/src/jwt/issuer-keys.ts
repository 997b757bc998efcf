import { messageOf } from "@orch/status/message-of.js";
import { isJsonObject, memberOf } from "../json.js";
import { type After, within } from "../within.js";
import type { JwtIssuer } from "./authentication-config.js";
import { type KeySet, parseKeySet } from "./key-set.js";

export interface JsonRequest {
  readonly url: string;
  /** PEM; the system's authorities where absent. */
  readonly ca?: string;
  readonly timeoutMs: number;
}

export interface IssuerKeysDeps {
  readonly now: () => number;
  readonly after: After;
  /** GET over HTTPS without redirects; whoever does it bounds the answer's size (1 MiB) and refuses all but a 200. */
  readonly fetchJson: (request: JsonRequest) => Promise<unknown>;
  /** Told after each attempt; `problem` is absent where it went well. */
  readonly fetched: (problem: string | undefined) => void;
}

/** The keys of one issuer, fetched in the background: nobody who holds a token with a known key ever waits. */
export interface IssuerKeys {
  start(): void;
  stop(): void;
  /** The newest that were ever fetched; undefined before the issuer was reached for the first time. */
  current(): KeySet | undefined;
  /** Why the issuer was never reached; undefined once it was. */
  health(): string | undefined;
  /**
   * Fetches anew for a token whose key is unknown, and gives what is known then. All who ask at a time share one fetch,
   * and it is not done more often than every ten seconds: else wrong tokens would be a way to flood the issuer.
   */
  renewed(): Promise<KeySet | undefined>;
}

const fetchTimeoutMs = 10_000;
/** Beyond the time that the fetch was given: ends one that does not keep to it. */
const graceMs = 1_000;
/** Between fetches that tokens cause. */
const askedFetchMs = 10_000;
/** Keys that an issuer takes back are forgotten after so long at the latest. */
const refreshMs = 5 * 60_000;
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

export function createIssuerKeys(issuer: JwtIssuer, deps: IssuerKeysDeps): IssuerKeys {
  const { now, after } = deps;
  let keys: KeySet | undefined;
  let problem: string | undefined = "not fetched yet";
  let running = false;
  let failures = 0;
  let loading: Promise<void> | undefined;
  let cancelNext = (): void => undefined;
  let lastAsked: number | undefined;

  const attempt = async (): Promise<void> => {
    try {
      const fetched = await fetchKeys(issuer, deps);
      if (!running) return;
      // The same object for the same keys: verdicts are kept by it.
      if (fetched.fingerprint !== keys?.fingerprint) keys = fetched;
      failures = 0;
      problem = undefined;
    } catch (error) {
      if (!running) return;
      failures++;
      problem = shortText(error);
    }
    deps.fetched(problem);
  };

  const load = (): Promise<void> => {
    if (loading !== undefined) return loading;
    cancelNext();
    loading = attempt().finally(() => {
      loading = undefined;
      const delay =
        failures === 0 ? refreshMs : Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 10));
      if (running) cancelNext = after(delay, () => void load());
    });
    return loading;
  };

  return {
    start() {
      if (running) return;
      running = true;
      void load();
    },
    stop() {
      running = false;
      cancelNext();
    },
    current: () => keys,
    health: () => (keys === undefined ? problem : undefined),
    async renewed() {
      const justAsked = lastAsked !== undefined && Math.abs(now() - lastAsked) < askedFetchMs;
      if (running && (loading !== undefined || !justAsked)) {
        if (loading === undefined) lastAsked = now();
        await load();
      }
      return keys;
    },
  };
}

/** Discovery and the key set that it names (OpenID Connect Discovery, 4). @throws Error */
async function fetchKeys(issuer: JwtIssuer, deps: IssuerKeysDeps): Promise<KeySet> {
  const { certificateAuthority: ca } = issuer;
  const get = (url: string): Promise<unknown> =>
    within(
      deps.fetchJson({ url, timeoutMs: fetchTimeoutMs, ...(ca === undefined ? {} : { ca }) }),
      fetchTimeoutMs + graceMs,
      { after: deps.after, late: () => new Error("no answer in time") },
    );
  const wellKnown = `${issuer.url.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const discovery = await get(issuer.discoveryURL ?? wellKnown);
  if (!isJsonObject(discovery)) throw new Error("the discovery document is no object");
  if (memberOf(discovery, "issuer") !== issuer.url) throw new Error("the discovery document is of another issuer");
  const keysURL = memberOf(discovery, "jwks_uri");
  if (typeof keysURL !== "string" || !URL.canParse(keysURL) || new URL(keysURL).protocol !== "https:") {
    throw new Error("the discovery document has no jwks_uri with https");
  }
  return parseKeySet(await get(keysURL));
}

const shortText = (error: unknown): string => messageOf(error).slice(0, 500);
