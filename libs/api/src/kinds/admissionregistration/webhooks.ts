import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { validateLabelSelector } from "../shared/label-selector.js";
import { repeatsIn } from "../shared/repeats.js";
import { hasKnownReviewVersion, validateReviewVersions, validateWebhookClient } from "../shared/webhook-client.js";
import { amongOthers, type Server, validateConditionExpressions } from "./expressions.js";
import { validateMatchConditions, validateRule } from "./match.js";
import type { Webhook, WebhookConfiguration } from "./types.js";

/** Rules that came after v1beta1: its writes, and objects that already break them, need not keep them. */
interface Tightened {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
}

/** Mutating and validating configurations differ in a closed set alone, which is data. */
export const webhookConfiguration = behavior<WebhookConfiguration>((naming, release) => ({
  validateCreate: ({ webhooks = [] }, asked) =>
    amongOthers(validateWebhooks(webhooks, forCreate(asked)), validateConditionsOf(webhooks, [], { naming, release })),
  validateUpdate: ({ webhooks = [] }, { webhooks: before = [] }, asked) =>
    amongOthers(
      validateWebhooks(webhooks, forUpdate(asked, before)),
      validateConditionsOf(webhooks, before, { naming, release }),
    ),
}));

function validateConditionsOf(
  webhooks: readonly Webhook[],
  before: readonly Webhook[],
  server: Server,
): readonly FieldError[] {
  const old = before.flatMap(({ matchConditions = [] }) => matchConditions);
  return webhooks.flatMap(({ matchConditions = [] }, i) =>
    validateConditionExpressions(matchConditions, old, { at: `webhooks[${i}].matchConditions`, server }),
  );
}

function forCreate(asked: string): Tightened {
  const since = asked !== "v1beta1";
  return { noSideEffects: since, knownReviewVersion: since, uniqueNames: since };
}

function forUpdate(asked: string, before: readonly Webhook[]): Tightened {
  const created = forCreate(asked);
  const names = before.map((w) => w.name ?? "");
  return {
    noSideEffects: created.noSideEffects && before.every((w) => noSideEffects.includes(w.sideEffects ?? "")),
    knownReviewVersion:
      created.knownReviewVersion &&
      before.every(({ admissionReviewVersions: v = [] }) => v.length === 0 || hasKnownReviewVersion(v)),
    uniqueNames: created.uniqueNames && new Set(names).size === names.length,
  };
}

function validateWebhooks(webhooks: readonly Webhook[], tightened: Tightened): readonly FieldError[] {
  const repeats = repeatsIn(webhooks.map((w) => w.name ?? ""));
  return webhooks.flatMap((webhook, i) => {
    const at = `webhooks[${i}]`;
    const { name = "", admissionReviewVersions = [] } = webhook;
    const taken = name !== "" && repeats.has(i);
    return [
      ...validateWebhook(webhook, tightened, at),
      ...validateReviewVersions(admissionReviewVersions, {
        at: `${at}.admissionReviewVersions`,
        recognized: tightened.knownReviewVersion,
        required: "must specify one of v1, v1beta1",
      }),
      ...(tightened.uniqueNames && taken ? [fieldError.duplicate(`${at}.name`, name)] : []),
    ];
  });
}

function validateWebhook(webhook: Webhook, tightened: Tightened, at: string): readonly FieldError[] {
  const { name = "", rules = [], timeoutSeconds = 10, clientConfig = {}, matchConditions = [] } = webhook;
  const { namespaceSelector, objectSelector } = webhook;
  return [
    ...validateName(name, `${at}.name`),
    ...rules.flatMap((rule, j) => validateRule(rule, `${at}.rules[${j}]`)),
    ...validateSideEffects(webhook.sideEffects, tightened.noSideEffects, `${at}.sideEffects`),
    ...(timeoutSeconds < 1 || timeoutSeconds > 30
      ? [
          fieldError.invalid(
            `${at}.timeoutSeconds`,
            timeoutSeconds,
            "the timeout value must be between 1 and 30 seconds",
          ),
        ]
      : []),
    ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
    ...validateLabelSelector(objectSelector, `${at}.objectSelector`),
    ...validateWebhookClient(clientConfig, `${at}.clientConfig`),
    ...validateMatchConditions(matchConditions, `${at}.matchConditions`),
  ];
}

/** A domain of its owner's: other webhooks get other names by it. */
function validateName(name: string, at: string): readonly FieldError[] {
  if (name === "") return [fieldError.required(at)];
  const problems = dnsSubdomain(name);
  if (problems.length > 0) return [fieldError.invalid(at, name, problems.join(","))];
  if (name.split(".").length >= 3) return [];
  return [fieldError.invalid(at, name, "should be a domain with at least three segments separated by dots")];
}

const noSideEffects: readonly string[] = ["None", "NoneOnDryRun"];
const sideEffects: readonly string[] = [...noSideEffects, "Some", "Unknown"];

function validateSideEffects(given: string | undefined, none: boolean, at: string): readonly FieldError[] {
  const allowed = none ? noSideEffects : sideEffects;
  if (given === undefined) return [fieldError.required(at, `must specify one of ${allowed.join(", ")}`)];
  return allowed.includes(given) ? [] : [fieldError.notSupported(at, given, allowed)];
}
