import type { Naming } from "@orch/naming/naming.js";
import { fieldError } from "@orch/status/field-error.js";
import type { Parsed } from "../parsed.js";
import { labelProblems } from "./scalars.js";
import { type Tree, treeOf } from "./tree.js";

/** All that `--authorization-mode` and the `type` of an authorizer may say. */
export const authorizerTypes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;
export type AuthorizerType = (typeof authorizerTypes)[number];

/** The chain of authorizers: asked in this order until one has an opinion. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

export type AuthorizerConfiguration =
  | { readonly type: "Webhook"; readonly name: string; readonly webhook: WebhookConfiguration }
  | { readonly type: Exclude<AuthorizerType, "Webhook">; readonly name: string };

/** A webhook that is asked (spec 2: API server configuration, WebhookConfiguration). */
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
}

export const reviewVersions = ["v1", "v1beta1"] as const;
export type ReviewVersion = (typeof reviewVersions)[number];

const failurePolicies = ["NoOpinion", "Deny"] as const;
export type FailurePolicy = (typeof failurePolicies)[number];

/** `KubeConfigFile` is a word of both dialects, as the field `kubeConfigFile` is. */
export type WebhookConnection =
  | { readonly type: "InClusterConfig" }
  | { readonly type: "KubeConfigFile"; readonly path: string };

const versions = ["v1", "v1beta1", "v1alpha1"] as const;
const kind = "AuthorizationConfiguration";
const maxMatchConditions = 64;
const maxTimeoutMs = 30_000;

export const defaultAuthorizedTtlMs = 300_000;
export const defaultUnauthorizedTtlMs = 30_000;

/** The name that an authorizer other than a webhook must have. */
export const nameOfType = (type: AuthorizerType): string => type.toLowerCase();

export function oneOf<const T extends string>(known: readonly T[], text: string): T | undefined {
  return known.find((each) => each === text);
}

/**
 * Reads the file of `--authorization-config`, decoded from YAML or JSON. Every problem is told. Files that it names
 * are not looked at.
 */
export function parseAuthorizationConfiguration(tree: unknown, naming: Naming): Parsed<AuthorizationConfiguration> {
  const problems: string[] = [];
  const root = treeOf(tree, problems);
  if (root === undefined) return { ok: false, problems: [`the file is no map of the kind ${kind}`] };
  const wrongKind = kindProblem(root, naming);
  if (wrongKind !== undefined) return { ok: false, problems: [...problems, wrongKind] };
  root.only(["apiVersion", "kind", "authorizers"]);
  const entries = root.maps("authorizers");
  if (entries?.length === 0 && problems.length === 0) {
    root.refuse(fieldError.required("authorizers", "at least one authorization mode must be defined"));
  }
  const authorizers = readAuthorizers(entries ?? []);
  return problems.length === 0 ? { ok: true, value: { authorizers } } : { ok: false, problems };
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

function kindProblem(root: Tree, naming: Naming): string | undefined {
  const apiVersion = root.text("apiVersion");
  const given = root.text("kind");
  if (given === "") return "Object 'Kind' is missing";
  if (apiVersion === "") return "Object 'apiVersion' is missing";
  const group = naming.group("apiserver.config");
  const known = versions.map((version) => `${group}/${version}`);
  if (given === kind && apiVersion !== undefined && known.includes(apiVersion)) return undefined;
  return `no kind ${JSON.stringify(given)} is registered for version ${JSON.stringify(apiVersion)}; expected ${kind} of ${known.join(", ")}`;
}

function readAuthorizers(entries: readonly Tree[]): readonly AuthorizerConfiguration[] {
  const types = new Set<AuthorizerType>();
  const names = new Set<string>();
  return entries.flatMap((entry): readonly AuthorizerConfiguration[] => {
    entry.only(["type", "name", "webhook"]);
    const type = readType(entry, types);
    if (type === undefined) return [];
    const name = readName(entry, type, names);
    if (type === "Webhook") {
      const block = entry.map("webhook");
      if (block === undefined) {
        if (!entry.has("webhook")) {
          entry.refuse(fieldError.required(entry.pathOf("webhook"), "required when type=Webhook"));
        }
        return [];
      }
      const webhook = readWebhook(block);
      return name === undefined || webhook === undefined ? [] : [{ type, name, webhook }];
    }
    if (entry.has("webhook")) {
      entry.refuse(fieldError.invalid(entry.pathOf("webhook"), "non-null", "may only be specified when type=Webhook"));
    }
    return name === undefined ? [] : [{ type, name }];
  });
}

function readType(entry: Tree, seen: Set<AuthorizerType>): AuthorizerType | undefined {
  const type = readWord(entry, "type", authorizerTypes);
  if (type === undefined) return undefined;
  if (seen.has(type) && type !== "Webhook") {
    entry.refuse(fieldError.duplicate(entry.pathOf("type"), type));
    return undefined;
  }
  seen.add(type);
  return type;
}

function readName(entry: Tree, type: AuthorizerType, seen: Set<string>): string | undefined {
  const name = entry.text("name");
  const at = entry.pathOf("name");
  if (name === undefined) return undefined;
  if (name === "") {
    entry.refuse(fieldError.required(at));
    return undefined;
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
];

function readWebhook(webhook: Tree): WebhookConfiguration | undefined {
  webhook.only(webhookFields);
  const timeoutMs = readTimeout(webhook);
  const authorizedTtlMs = readTtl(webhook, "authorizedTTL", defaultAuthorizedTtlMs);
  const unauthorizedTtlMs = readTtl(webhook, "unauthorizedTTL", defaultUnauthorizedTtlMs);
  const reviewVersion = readWord(webhook, "subjectAccessReviewVersion", reviewVersions);
  const failurePolicy = readWord(webhook, "failurePolicy", failurePolicies);
  const connection = readConnection(webhook);
  checkMatchConditions(webhook);
  if (timeoutMs === undefined || authorizedTtlMs === undefined || unauthorizedTtlMs === undefined) return undefined;
  if (reviewVersion === undefined || failurePolicy === undefined || connection === undefined) return undefined;
  return { authorizedTtlMs, unauthorizedTtlMs, timeoutMs, reviewVersion, failurePolicy, connection };
}

function readTimeout(webhook: Tree): number | undefined {
  const timeout = webhook.duration("timeout");
  const at = webhook.pathOf("timeout");
  if (timeout === undefined) return undefined;
  if (timeout.ms === 0) webhook.refuse(fieldError.required(at));
  else if (timeout.ms < 0 || timeout.ms > maxTimeoutMs) {
    webhook.refuse(fieldError.invalid(at, timeout.text, "must be > 0s and <= 30s"));
  }
  return timeout.ms;
}

/** 0 is as good as absent. */
function readTtl(webhook: Tree, name: string, byDefault: number): number | undefined {
  const ttl = webhook.duration(name);
  if (ttl !== undefined && ttl.ms < 0) {
    webhook.refuse(fieldError.invalid(webhook.pathOf(name), ttl.text, "must be > 0s"));
  }
  return ttl?.ms === 0 ? byDefault : ttl?.ms;
}

function readWord<const T extends string>(tree: Tree, name: string, known: readonly T[]): T | undefined {
  const text = tree.text(name);
  if (text === undefined) return undefined;
  const word = oneOf(known, text);
  if (text === "") tree.refuse(fieldError.required(tree.pathOf(name)));
  else if (word === undefined) tree.refuse(fieldError.notSupported(tree.pathOf(name), text, [...known].sort()));
  return word;
}

function readConnection(webhook: Tree): WebhookConnection | undefined {
  const info = webhook.map("connectionInfo");
  if (info === undefined) {
    if (!webhook.has("connectionInfo")) {
      webhook.refuse(fieldError.required(`${webhook.pathOf("connectionInfo")}.type`));
    }
    return undefined;
  }
  info.only(["type", "kubeConfigFile"]);
  const type = readWord(info, "type", ["InClusterConfig", "KubeConfigFile"]);
  const at = info.pathOf("kubeConfigFile");
  const path = info.text("kubeConfigFile");
  if (type === undefined || path === undefined) return undefined;
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

/** Expressions come with CEL: until then a file that has one is refused, since to pass it over would change who is asked. */
function checkMatchConditions(webhook: Tree): void {
  const conditions = webhook.maps("matchConditions") ?? [];
  const versionAt = webhook.pathOf("matchConditionSubjectAccessReviewVersion");
  const version = webhook.text("matchConditionSubjectAccessReviewVersion");
  if (version === "" && conditions.length > 0) {
    webhook.refuse(fieldError.required(versionAt, "required if match conditions are specified"));
  } else if (version !== undefined && version !== "" && version !== "v1") {
    webhook.refuse(fieldError.notSupported(versionAt, version, ["v1"]));
  }
  if (conditions.length > maxMatchConditions) {
    webhook.refuse(fieldError.tooMany(webhook.pathOf("matchConditions"), conditions.length, maxMatchConditions));
    return;
  }
  const seen = new Set<string>();
  for (const condition of conditions) {
    condition.only(["expression"]);
    const expression = condition.text("expression");
    const at = condition.pathOf("expression");
    if (expression === undefined) continue;
    if (expression.trim() === "") condition.refuse(fieldError.required(at));
    else if (seen.has(expression)) condition.refuse(fieldError.duplicate(at, expression));
    else condition.refuse(fieldError.forbidden(at, "expressions (CEL) are not available in this build"));
    seen.add(expression);
  }
}
