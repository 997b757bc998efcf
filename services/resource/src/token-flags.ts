import { serviceAccountFlags } from "@orch/access/flags.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { parseSigningKey } from "@orch/auth/service-account/keys.js";
import { boolFlag, durationFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { messageOf } from "@orch/status/message-of.js";
import type { TokenSettings } from "./token-request.js";

const group = "Service accounts";

/** Flags of whatever issues tokens of service accounts; the reference server's names. */
export const tokenFlags = {
  "service-account-issuer": serviceAccountFlags["service-account-issuer"],
  "service-account-signing-key-file": stringFlag("", {
    group,
    word: "file",
    help: "PEM file of the private key (RSA or ECDSA) that signs tokens of service accounts; without it none are issued",
  }),
  "service-account-max-token-expiration": durationFlag(0, {
    group,
    help: "the longest that a token may be good for; one for longer is issued for this long; no bound when 0",
  }),
  "service-account-extend-token-expiration": boolFlag(true, {
    group,
    help: "whether the tokens that pods are given by themselves are good for a year, with a warning in them",
  }),
  "api-audiences": serviceAccountFlags["api-audiences"],
} as const;

const hourMs = 3_600_000;
const longestMs = 2 ** 32 * 1000;

/** What {@link tokenFlags} say; undefined where nothing signs. `read` gives a file's text. */
export function tokenSettings(
  values: FlagValues<typeof tokenFlags>,
  read: (path: string) => string,
): Parsed<TokenSettings | undefined> {
  const issuers = values["service-account-issuer"];
  const path = values["service-account-signing-key-file"];
  const maxMs = values["service-account-max-token-expiration"];
  const problems = issuerProblems(issuers);
  if (maxMs !== 0 && (maxMs < hourMs || maxMs > longestMs)) {
    problems.push("the service-account-max-token-expiration must be between 1 hour and 2^32 seconds");
  }
  const [issuer] = issuers;
  if (path !== "" && issuer === undefined) problems.push("service-account-issuer is a required flag");
  const key = path === "" ? undefined : readKey(path, read);
  if (key?.ok === false) problems.push(...key.problems);
  if (problems.length > 0) return { ok: false, problems };
  if (issuer === undefined || key?.ok !== true) return { ok: true, value: undefined };
  const audiences = values["api-audiences"];
  return {
    ok: true,
    value: {
      issuer,
      signingKeyPem: key.value,
      apiAudiences: audiences.length === 0 ? issuers : audiences,
      maxSeconds: Math.floor(maxMs / 1000),
      extend: values["service-account-extend-token-expiration"],
    },
  };
}

function issuerProblems(issuers: readonly string[]): string[] {
  return issuers.flatMap((issuer, i) => [
    ...(issuer.includes(":") && !URL.canParse(issuer)
      ? [`service-account-issuer ${JSON.stringify(issuer)} contained a ':' but was not a valid URL`]
      : []),
    ...(issuers.indexOf(issuer) < i ? [`service-account-issuer ${JSON.stringify(issuer)} is already specified`] : []),
  ]);
}

function readKey(path: string, read: (path: string) => string): Parsed<string> {
  const problem = (why: string): Parsed<string> => ({
    ok: false,
    problems: [`--service-account-signing-key-file ${path}: ${why}`],
  });
  let pem: string;
  try {
    pem = read(path);
  } catch (error) {
    return problem(messageOf(error));
  }
  const key = parseSigningKey(pem);
  return key.ok ? { ok: true, value: pem } : problem(key.problems.join("; "));
}
