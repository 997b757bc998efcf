import type { Naming } from "@orch/naming/naming.js";
import { type Authenticator, type HeaderMap, noVerdict, type Verdict } from "./authenticator.js";
import { type CertificateBundle, isTrusted } from "./client-certificate.js";
import { extraKey } from "./extra-key.js";
import { authenticatedUser, type UserInfo } from "./user.js";

export interface FrontProxyOptions {
  readonly naming: Naming;
  /** Who signs the certificates of front proxies, and of nobody else. */
  readonly authorities: CertificateBundle;
  /** Common names of front proxies; every certificate of the authorities is one where there are none. */
  readonly allowedNames: readonly string[];
  /** The first that a request has names the user. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** Every value of every one is a group. */
  readonly groupHeaders: readonly string[];
  /** What follows one in a header's name is the key of an extra. */
  readonly extraHeaderPrefixes: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A front proxy has authenticated the client and tells in headers whom; it is known by its certificate. The same headers
 * from anybody else say nothing: nobody looks at them. Give the headers of a request as they came, each value apart.
 */
export function frontProxyAuthenticator(options: FrontProxyOptions): Authenticator {
  const { authorities, now } = options;
  const allowed = new Set(options.allowedNames);
  return {
    authenticate(credentials) {
      const { certificate } = credentials;
      if (certificate === undefined) return noVerdict;
      if (!isTrusted(certificate, authorities, now())) return foreign;
      if (allowed.size > 0 && !allowed.has(certificate.commonName)) return notAllowed;
      // Only now: taking the headers apart has its price.
      return toldBy(credentials.headers, options);
    },
  };
}

const denied = (why: string): Verdict => ({ outcome: "deny", why });
const foreign = denied("the certificate is not signed by the front proxies' CA or not in its time");
const notAllowed = denied("the certificate is of the front proxies' CA, its common name is none that is allowed");
const unreadable = denied("a front proxy's header is not UTF-8");

function toldBy(headers: HeaderMap, options: FrontProxyOptions): Verdict {
  const { naming } = options;
  try {
    const name = firstOf(headers, options.usernameHeaders);
    if (name === "") return noVerdict;
    const uid = firstOf(headers, options.uidHeaders);
    const groups = options.groupHeaders.flatMap((header) => valuesOf(headers, header)).filter((group) => group !== "");
    const user: UserInfo = { name, uid, groups, extra: extraOf(headers, options.extraHeaderPrefixes) };
    // A proxy lets nobody through as somebody, too.
    const isNobody = name === naming.anonymousUser || groups.includes(naming.unauthenticatedGroup);
    return { outcome: "allow", user: isNobody ? user : authenticatedUser(naming, user) };
  } catch (error) {
    if (error instanceof TypeError) return unreadable;
    throw error;
  }
}

// Node takes bytes for characters of Latin 1; what proxies write is UTF-8. It throws TypeError for what is not.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const isAscii = /^[\x00-\x7f]*$/;
const decoded = (value: string): string => (isAscii.test(value) ? value : decoder.decode(Buffer.from(value, "latin1")));

function valuesOf(headers: HeaderMap, name: string): readonly string[] {
  const key = name.toLowerCase();
  return (Object.hasOwn(headers, key) ? headers[key] : undefined)?.map(decoded) ?? [];
}

/** The first value of the first header that has one; empty where none has. */
function firstOf(headers: HeaderMap, names: readonly string[]): string {
  for (const name of names) {
    const [value = ""] = valuesOf(headers, name);
    if (value !== "") return value;
  }
  return "";
}

function extraOf(headers: HeaderMap, prefixes: readonly string[]): UserInfo["extra"] {
  const extra = new Map<string, readonly string[]>();
  for (const header of Object.keys(headers)) {
    const name = header.toLowerCase();
    for (const prefix of prefixes) {
      if (!name.startsWith(prefix.toLowerCase())) continue;
      const key = extraKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(headers, header)]);
    }
  }
  return Object.fromEntries(extra);
}
