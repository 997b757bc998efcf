import { oneOf } from "../config/configuration-file.js";
import type { Parsed } from "../parsed.js";
import {
  type AuthorizationConfiguration,
  type AuthorizerConfiguration,
  authorizerTypes,
  nameOfType,
  reviewVersions,
} from "./authorization-config.js";

/** The flags beside `--authorization-mode`; a file's path is empty where the flag was not given. */
export interface AuthorizationModeFlags {
  /** `--authorization-policy-file` */
  readonly policyFile: string;
  /** `--authorization-webhook-config-file` */
  readonly webhookConfigFile: string;
  /** `--authorization-webhook-version` */
  readonly webhookVersion: string;
  /** `--authorization-webhook-cache-authorized-ttl` and its other; 0: answers are not kept. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
}

/** The name of the one webhook that flags can tell of. */
const webhookName = "default";
const webhookTimeoutMs = 30_000;

/** The chain that `--authorization-mode` and its flags tell of, or every problem that they have. */
export function authorizationModes(
  modes: readonly string[],
  flags: AuthorizationModeFlags,
): Parsed<AuthorizationConfiguration> {
  const problems: string[] = [];
  if (modes.length === 0) problems.push("at least one authorization-mode must be passed");
  const authorizers = modes.flatMap((mode): readonly AuthorizerConfiguration[] => {
    const type = oneOf(authorizerTypes, mode);
    if (type === undefined) {
      problems.push(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
      return [];
    }
    if (type === "ABAC" && flags.policyFile === "") {
      problems.push("authorization-mode ABAC's authorization policy file not passed");
    }
    if (type === "Webhook") return [webhookOf(flags, problems)];
    return [{ type, name: nameOfType(type) }];
  });
  if (flags.policyFile !== "" && !modes.includes("ABAC")) {
    problems.push("cannot specify --authorization-policy-file without mode ABAC");
  }
  if (flags.webhookConfigFile !== "" && !modes.includes("Webhook")) {
    problems.push("cannot specify --authorization-webhook-config-file without mode Webhook");
  }
  if (new Set(modes).size !== modes.length) {
    const shown = modes.map((mode) => JSON.stringify(mode)).join(" ");
    problems.push(`authorization-mode [${shown}] has mode specified more than once`);
  }
  return problems.length === 0 ? { ok: true, value: { authorizers } } : { ok: false, problems };
}

function webhookOf(flags: AuthorizationModeFlags, problems: string[]): AuthorizerConfiguration {
  if (flags.webhookConfigFile === "") {
    problems.push("authorization-mode Webhook's authorization config file not passed");
  }
  const reviewVersion = oneOf(reviewVersions, flags.webhookVersion);
  if (reviewVersion === undefined) {
    const supported = reviewVersions.map((version) => JSON.stringify(version)).join(", ");
    problems.push(
      `unsupported webhook authorizer version ${JSON.stringify(flags.webhookVersion)}, supported versions are ${supported}`,
    );
  }
  return {
    type: "Webhook",
    name: webhookName,
    webhook: {
      authorizedTtlMs: flags.authorizedTtlMs,
      unauthorizedTtlMs: flags.unauthorizedTtlMs,
      timeoutMs: webhookTimeoutMs,
      reviewVersion: reviewVersion ?? "v1",
      failurePolicy: "NoOpinion",
      connection: { type: "KubeConfigFile", path: flags.webhookConfigFile },
    },
  };
}

/** The flags that tell of a chain: none of them may stand beside `--authorization-config`. */
export const chainFlags: readonly string[] = [
  "authorization-mode",
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
];

/** What is wrong with `--authorization-config` beside the flags that were given, by their names without dashes. */
export function configFileProblem(given: readonly string[]): string | undefined {
  if (!given.some((flag) => chainFlags.includes(flag))) return undefined;
  return "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined";
}
