import { readFile } from "node:fs/promises";
import { parseSigningRequest, type SigningRequest } from "@orch/api/kinds/certificates/signing-request.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import type { IssuedSubject } from "@orch/pki/sign-request.js";
import type { Controller } from "../controller.js";
import type { ControllerTools } from "../tools.js";
import { createRequestController } from "./request-queue.js";
import { refusal, type SignerKind, signerKinds, signerName } from "./signers.js";
import {
  hasCondition,
  type SigningRequestView,
  signingRequests,
  viewOf,
  withCertificate,
  withCondition,
} from "./signing-request.js";

/** Paths of an authority's certificate and key, PEM. */
export interface AuthorityFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface SigningConfig {
  /** Signers without files sign nothing. */
  readonly authorities: Readonly<Partial<Record<SignerKind, AuthorityFiles>>>;
  /** Of certificates at most; a request may ask for less. */
  readonly durationMs: number;
}

const name = "certificatesigningrequest-signing-controller";

/** Signs what was approved for one of the built-in signers, by its rules. */
export function createSigningController(config: SigningConfig, tools: ControllerTools): Controller {
  const { client, naming, clock } = tools;
  return createRequestController(
    {
      name,
      queue: "csrsigning",
      async work(object, signal) {
        const changed = await signed(object, { config, naming, now: clock.now() });
        if (changed !== undefined) {
          await client.update(signingRequests(naming), changed, { subresource: "status", signal });
        }
        return "done";
      },
    },
    tools,
  );
}

interface Signing {
  readonly config: SigningConfig;
  readonly naming: Naming;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The request with its certificate, or with why there will be none; undefined where there is nothing to do.
 * @throws Error where the authority's files can not be read or do not fit
 */
export async function signed(object: ApiObject, signing: Signing): Promise<ApiObject | undefined> {
  const { config, naming, now } = signing;
  const view = viewOf(object);
  if (view.certificate !== "" || !hasCondition(view, "Approved")) return undefined;
  if (hasCondition(view, "Denied") || hasCondition(view, "Failed")) return undefined;
  const kind = signerKinds.find((k) => signerName(k, naming) === view.signerName);
  const files = kind === undefined ? undefined : config.authorities[kind];
  if (kind === undefined || files === undefined) return undefined;
  const failed = (message: string): ApiObject =>
    withCondition(object, { type: "Failed", reason: "SignerValidationFailure", message, now });

  const parsed = parseSigningRequest(view.request);
  if (typeof parsed === "string") return failed(parsed);
  const problem = refusal(kind, parsed, view.usages);
  if (problem !== undefined) return failed(problem);
  // Read each time, which is seldom: so they may be replaced whenever somebody likes.
  const [certificate, key] = await Promise.all([readFile(files.certificate, "utf8"), readFile(files.key, "utf8")]);
  // Loaded late: most processes never sign anything.
  const { signRequest } = await import("@orch/pki/sign-request.js");
  const result = await signRequest({
    request: view.request,
    authority: { certificate, key },
    usages: view.usages,
    now,
    durationMs: durationOf(view, config.durationMs),
  });
  if (!result.ok) return failed(result.problem);
  if (!isSubjectOf(result.subject, parsed))
    return failed("the subject of the request can be read in more than one way");
  return withCertificate(object, result.certificate);
}

const shortestMs = 600_000;

function durationOf({ expirationSeconds }: SigningRequestView, longestMs: number): number {
  if (expirationSeconds === undefined) return longestMs;
  return Math.min(longestMs, Math.max(shortestMs, expirationSeconds * 1000));
}

/** Whether the certificate says to its readers what the rules (and whoever admitted the request) have read. */
function isSubjectOf(issued: IssuedSubject, parsed: SigningRequest): boolean {
  return (
    isSame(issued.commonNames, parsed.commonName === "" ? [] : [parsed.commonName]) &&
    isSame(issued.organizations, parsed.organizations) &&
    isSame(issued.dnsNames, parsed.dnsNames) &&
    isSame(issued.emails, parsed.emails) &&
    isSame(issued.uris, parsed.uris) &&
    issued.addresses.length === parsed.addresses
  );
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);
