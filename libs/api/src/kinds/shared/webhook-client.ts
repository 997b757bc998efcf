import { X509Certificate } from "node:crypto";
import { dns1035Label, dnsSubdomain, portNumber } from "@orch/schema/formats/names.js";
import { cut } from "@orch/status/cut.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "./problems.js";
import { repeatsIn } from "./repeats.js";

/** Where a webhook listens: exactly one of the two. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: WebhookService;
  /** Base64 of PEM. */
  readonly caBundle?: string;
}

interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

/** Everything wrong with a webhook's address; its certificates are {@link validateCaBundle}'s. */
export function validateWebhookClient({ url, service }: WebhookClientConfig, at: string): readonly FieldError[] {
  if (url !== undefined && service === undefined) return validateUrl(url, `${at}.url`);
  if (service !== undefined && url === undefined) return validateService(service, `${at}.service`);
  return [fieldError.required(at, "exactly one of url or service is required")];
}

const form = "; desired format: https://host[/path]";

/** Scheme, authority, query and fragment as RFC 3986 (appendix B) takes a reference apart. */
const urlParts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;

function validateUrl(url: string, at: string): readonly FieldError[] {
  if (url.startsWith(":")) {
    const why = `parse ${JSON.stringify(cut(url))}: missing protocol scheme`;
    return [fieldError.required(at, `url must be a valid URL: ${why}${form}`)];
  }
  const [, scheme = "", authority = "", query = "", fragment = ""] = urlParts.exec(url) ?? [];
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : undefined;
  const host = authority.slice(user === undefined ? 0 : user.length + 1);
  if (/[\s\x00-\x1f\x7f]/.test(host)) {
    return [fieldError.required(at, `url must be a valid URL: invalid character in host name${form}`)];
  }
  return [
    ...(scheme.toLowerCase() === "https"
      ? []
      : [fieldError.invalid(at, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`)]),
    ...(host === "" ? [fieldError.invalid(at, "", `host must be specified${form}`)] : []),
    ...(user === undefined ? [] : [fieldError.invalid(at, user, "user information is not permitted in the URL")]),
    ...(fragment === "" ? [] : [fieldError.invalid(at, fragment, "fragments are not permitted in the URL")]),
    ...(query === "" ? [] : [fieldError.invalid(at, query, "query parameters are not permitted in the URL")]),
  ];
}

function validateService(
  { name = "", namespace = "", path, port = 443 }: WebhookService,
  at: string,
): readonly FieldError[] {
  return [
    ...(name === "" ? [fieldError.required(`${at}.name`, "service name is required")] : []),
    ...(namespace === "" ? [fieldError.required(`${at}.namespace`, "service namespace is required")] : []),
    ...portNumber(port).map((problem) => fieldError.invalid(`${at}.port`, port, `port is not valid: ${problem}`)),
    ...(path === undefined || path === "" || path === "/" ? [] : validatePath(path, `${at}.path`)),
  ];
}

function validatePath(path: string, at: string): readonly FieldError[] {
  if (path === "//") return [fieldError.invalid(at, path, "segment[0] may not be empty")];
  const steps = path.replace(/\/$/, "").slice(1).split("/");
  return [
    ...(path.startsWith("/") ? [] : [fieldError.invalid(at, path, "must start with a '/'")]),
    ...steps.flatMap((step, i) => {
      if (step === "") return [fieldError.invalid(at, path, `segment[${i}] may not be empty`)];
      return dnsSubdomain(step).map((problem) => fieldError.invalid(at, path, `segment[${i}]: ${problem}`));
    }),
  ];
}

const [beginCertificate, endCertificate] = ["-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"];

/** Each from a beginning to the next end: a text of a hundred thousand beginnings without an end has none. */
function certificatesIn(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = text.indexOf(beginCertificate); at >= 0; ) {
    const end = text.indexOf(endCertificate, at);
    if (end < 0) break;
    found.push(text.slice(at, end + endCertificate.length));
    at = text.indexOf(beginCertificate, end);
  }
  return found;
}

/** Everything wrong with the certificates that a webhook's own is checked against. */
export function validateCaBundle(caBundle: string, at: string): readonly FieldError[] {
  const blocks = certificatesIn(Buffer.from(caBundle, "base64").toString("latin1"));
  if (blocks.length === 0) {
    const detail = "unable to load root certificates: data does not contain any valid RSA or ECDSA certificates";
    return [fieldError.invalid(at, caBundle, detail)];
  }
  if (blocks.every(isCertificate)) return [];
  return [fieldError.invalid(at, caBundle, "unable to load root certificates: a certificate cannot be read")];
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

const reviewVersions = ["v1", "v1beta1"];

/**
 * Everything wrong with the versions of a review that a webhook understands. `recognized`: one of them must be a
 * version that this server speaks.
 */
export function validateReviewVersions(
  versions: readonly string[],
  { at, recognized, required }: { readonly at: string; readonly recognized: boolean; readonly required: string },
): readonly FieldError[] {
  if (versions.length === 0) return [fieldError.required(at, required)];
  const repeats = repeatsIn(versions);
  const errors = versions.flatMap((version, i) => {
    if (repeats.has(i)) return [fieldError.invalid(`${at}[${i}]`, version, "duplicate version")];
    return invalidFor(`${at}[${i}]`, version, dns1035Label(version));
  });
  if (!recognized || hasKnownReviewVersion(versions)) return errors;
  return [...errors, fieldError.invalid(at, versions, `must include at least one of ${reviewVersions.join(", ")}`)];
}

export function hasKnownReviewVersion(versions: readonly string[]): boolean {
  return versions.some((version) => reviewVersions.includes(version));
}
