import type { Naming } from "@orch/naming/naming.js";
import { fieldError } from "@orch/status/field-error.js";
import { readConfigurationFile, readWord } from "../config/configuration-file.js";
import type { Tree } from "../config/tree.js";
import { labelProblems } from "../dns-label.js";
import type { MatchConditionCompiler, MatchConditions } from "../expressions/match-conditions.js";
import { isJsonObject } from "../json.js";
import type { Parsed } from "../parsed.js";

/** All that `--authorization-mode` and the `type` of an authorizer may say. */
export const authorizerTypes = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"] as const;
export type AuthorizerType = (typeof authorizerTypes)[number];

/** The chain of authorizers: asked in this order until one has an opinion. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

export type AuthorizerConfiguration =
  | { readonly type: "Webhook"; readonly name: string; readonly webhook: WebhookConfiguration }
  | { readonly type: Exclude<AuthorizerType, "Webhook">; readonly name: string };

/** A webhook that is asked (rules: Authorization webhook). */
export interface WebhookConfiguration {
  /** How long an answer that allows is kept; the other of one that does not. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** Of a question with all its retries; 30 s at most. */
  readonly timeoutMs: number;
  readonly reviewVersion: ReviewVersion;
  /** What is decided where the webhook gives no answer. */
  readonly failurePolicy: FailurePolicy;
  readonly connection: WebhookConnection;
  /** About which requests it is asked; about all where absent. */
  readonly matchConditions?: MatchConditions;
}

export const reviewVersions = ["v1", "v1beta1"] as const;
export type ReviewVersion = (typeof reviewVersions)[number];

const failurePolicies = ["Deny", "NoOpinion"] as const;
export type FailurePolicy = (typeof failurePolicies)[number];

/** `KubeConfigFile` is a word of both dialects, as the field `kubeConfigFile` is. */
export type WebhookConnection =
  | { readonly type: "InClusterConfig" }
  | { readonly type: "KubeConfigFile"; readonly path: string };

const maxMatchConditions = 64;
const maxTimeoutMs = 30_000;

const defaultAuthorizedTtlMs = 300_000;
const defaultUnauthorizedTtlMs = 30_000;

/** The name that an authorizer other than a webhook must have. */
export const nameOfType = (type: AuthorizerType): string => type.toLowerCase();

/** Reads the file of `--authorization-config`, decoded already. Files that it names are not looked at. */
export async function parseAuthorizationConfiguration(
  file: unknown,
  naming: Naming,
): Promise<Parsed<AuthorizationConfiguration>> {
  const compiler = hasConditions(file) ? await compilerOf(naming) : undefined;
  const options = { naming, kind: "AuthorizationConfiguration", fields: ["authorizers"] } as const;
  return readConfigurationFile(file, options, (root) => {
    const entries = root.objects("authorizers", ["type", "name", "webhook"]);
    if (entries.length === 0) {
      root.refuse(fieldError.required("authorizers", "at least one authorization mode must be defined"));
    }
    return { authorizers: readAuthorizers(entries, compiler) };
  });
}

/** Loaded where a file has expressions: no other start pays for their engine. */
async function compilerOf(naming: Naming): Promise<MatchConditionCompiler> {
  const { matchConditionCompiler } = await import("../expressions/match-condition-compiler.js");
  return matchConditionCompiler(naming);
}

function hasConditions(file: unknown): boolean {
  const authorizers = isJsonObject(file) ? file["authorizers"] : undefined;
  if (!Array.isArray(authorizers)) return false;
  return authorizers.some((each: unknown) => {
    const webhook = isJsonObject(each) ? each["webhook"] : undefined;
    const conditions = isJsonObject(webhook) ? webhook["matchConditions"] : undefined;
    return Array.isArray(conditions) && conditions.length > 0;
  });
}

/** What forbids a changed file to take effect: authorizers other than webhooks stay for the life of the process. */
export function reloadProblem(
  running: AuthorizationConfiguration,
  next: AuthorizationConfiguration,
): string | undefined {
  const own = ({ authorizers }: AuthorizationConfiguration) =>
    authorizers.flatMap(({ type }) => (type === "Webhook" ? [] : [type])).sort();
  const left = own(running).filter((type) => !own(next).includes(type));
  if (left.length > 0) return `missing required types: [${left.join(" ")}]`;
  const added = own(next).find((type) => !own(running).includes(type));
  if (added === undefined) return undefined;
  return `authorizer type ${added} is not allowed if it was not enabled at initial server startup`;
}

type AuthorizerTree = Tree<"type" | "name" | "webhook">;

function readAuthorizers(
  entries: readonly AuthorizerTree[],
  compiler: MatchConditionCompiler | undefined,
): readonly AuthorizerConfiguration[] {
  const types = new Set<AuthorizerType>();
  const names = new Set<string>();
  return entries.flatMap((entry): readonly AuthorizerConfiguration[] => {
    const type = readType(entry, types);
    if (type === undefined) return [];
    const name = readName(entry, type, names);
    const at = entry.pathOf("webhook");
    if (type !== "Webhook") {
      if (entry.has("webhook")) {
        entry.refuse(fieldError.invalid(at, "non-null", "may only be specified when type=Webhook"));
      }
      return [{ type, name }];
    }
    if (!entry.has("webhook")) {
      entry.refuse(fieldError.required(at, "required when type=Webhook"));
      return [];
    }
    const webhook = readWebhook(entry.object("webhook", webhookFields), compiler);
    return webhook === undefined ? [] : [{ type, name, webhook }];
  });
}

function readType(entry: AuthorizerTree, seen: Set<AuthorizerType>): AuthorizerType | undefined {
  const type = readWord(entry, "type", authorizerTypes);
  if (type === undefined) return undefined;
  if (seen.has(type) && type !== "Webhook") {
    entry.refuse(fieldError.duplicate(entry.pathOf("type"), type));
    return undefined;
  }
  seen.add(type);
  return type;
}

function readName(entry: AuthorizerTree, type: AuthorizerType, seen: Set<string>): string {
  const name = entry.text("name");
  const at = entry.pathOf("name");
  if (name === "") {
    entry.refuse(fieldError.required(at));
    return name;
  }
  if (seen.has(name)) entry.refuse(fieldError.duplicate(at, name));
  seen.add(name);
  const wrong = labelProblems(name);
  if (wrong.length > 0) {
    entry.refuse(fieldError.invalid(at, name, `authorizer name is invalid: ${wrong.join(", ")}`));
  } else if (type !== "Webhook" && name !== nameOfType(type)) {
    entry.refuse(fieldError.invalid(at, name, `expected name ${nameOfType(type)} for authorizer ${type}`));
  }
  return name;
}

const webhookFields = [
  "authorizedTTL",
  "unauthorizedTTL",
  "timeout",
  "subjectAccessReviewVersion",
  "matchConditionSubjectAccessReviewVersion",
  "failurePolicy",
  "connectionInfo",
  "matchConditions",
] as const;
type WebhookTree = Tree<(typeof webhookFields)[number]>;

/** Undefined where something was refused. */
function readWebhook(
  webhook: WebhookTree,
  compiler: MatchConditionCompiler | undefined,
): WebhookConfiguration | undefined {
  const timeoutMs = readTimeout(webhook);
  const authorizedTtlMs = readTtl(webhook, "authorizedTTL", defaultAuthorizedTtlMs);
  const unauthorizedTtlMs = readTtl(webhook, "unauthorizedTTL", defaultUnauthorizedTtlMs);
  const reviewVersion = readWord(webhook, "subjectAccessReviewVersion", reviewVersions);
  const failurePolicy = readWord(webhook, "failurePolicy", failurePolicies);
  const connection = readConnection(webhook);
  const matchConditions = readMatchConditions(webhook, compiler);
  if (reviewVersion === undefined || failurePolicy === undefined || connection === undefined) return undefined;
  return {
    authorizedTtlMs,
    unauthorizedTtlMs,
    timeoutMs,
    reviewVersion,
    failurePolicy,
    connection,
    ...(matchConditions === undefined ? {} : { matchConditions }),
  };
}

function readTimeout(webhook: WebhookTree): number {
  const { ms, text } = webhook.duration("timeout");
  const at = webhook.pathOf("timeout");
  if (ms === 0) webhook.refuse(fieldError.required(at));
  else if (ms < 0 || ms > maxTimeoutMs) webhook.refuse(fieldError.invalid(at, text, "must be > 0s and <= 30s"));
  return ms;
}

/** 0 is as good as absent. */
function readTtl(webhook: WebhookTree, name: "authorizedTTL" | "unauthorizedTTL", byDefault: number): number {
  const { ms, text } = webhook.duration(name);
  if (ms < 0) webhook.refuse(fieldError.invalid(webhook.pathOf(name), text, "must be > 0s"));
  return ms === 0 ? byDefault : ms;
}

function readConnection(webhook: WebhookTree): WebhookConnection | undefined {
  const info = webhook.object("connectionInfo", ["type", "kubeConfigFile"]);
  const type = readWord(info, "type", ["InClusterConfig", "KubeConfigFile"]);
  const at = info.pathOf("kubeConfigFile");
  const path = info.text("kubeConfigFile");
  if (type === undefined) return undefined;
  if (type === "InClusterConfig") {
    if (info.has("kubeConfigFile")) {
      info.refuse(fieldError.invalid(at, path, "can only be set when type=KubeConfigFile"));
    }
    return { type };
  }
  if (path === "") info.refuse(fieldError.required(at));
  else if (!path.startsWith("/")) info.refuse(fieldError.invalid(at, path, "must be an absolute path"));
  return { type, path };
}

/** Undefined where there are none, or something was refused. */
function readMatchConditions(
  webhook: WebhookTree,
  compiler: MatchConditionCompiler | undefined,
): MatchConditions | undefined {
  const conditions = webhook.objects("matchConditions", ["expression"]);
  const versionAt = webhook.pathOf("matchConditionSubjectAccessReviewVersion");
  const version = webhook.text("matchConditionSubjectAccessReviewVersion");
  if (version === "" && conditions.length > 0) {
    webhook.refuse(fieldError.required(versionAt, "required if match conditions are specified"));
  } else if (version !== "" && version !== "v1") {
    webhook.refuse(fieldError.notSupported(versionAt, version, ["v1"]));
  }
  if (conditions.length > maxMatchConditions) {
    webhook.refuse(fieldError.tooMany(webhook.pathOf("matchConditions"), conditions.length, maxMatchConditions));
    return undefined;
  }
  if (compiler === undefined || conditions.length === 0) return undefined;
  const seen = new Set<string>();
  for (const condition of conditions) readCondition(condition, { seen, compiler });
  return compiler.together([...seen]);
}

function readCondition(
  condition: Tree<"expression">,
  { seen, compiler }: { readonly seen: Set<string>; readonly compiler: MatchConditionCompiler },
): void {
  const expression = condition.text("expression");
  const at = condition.pathOf("expression");
  if (expression.trim() === "") {
    condition.refuse(fieldError.required(at));
    return;
  }
  if (seen.has(expression)) {
    condition.refuse(fieldError.duplicate(at, expression));
    return;
  }
  seen.add(expression);
  const checked = compiler.check(expression);
  if (checked.ok) return;
  const { problem } = checked;
  condition.refuse(
    problem.kind === "required" ? fieldError.required(at) : fieldError.invalid(at, expression, problem.message),
  );
}
