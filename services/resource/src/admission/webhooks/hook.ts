import { once } from "@orch/api/catalog.js";
import type { MatchCondition, Webhook, WebhookConfiguration } from "@orch/api/kinds/admissionregistration/types.js";
import type { WebhookClientConfig } from "@orch/api/kinds/shared/webhook-client.js";
import type { AnyObject } from "@orch/api/object.js";
import type { PolicyExpression } from "@orch/cel/admission/policy.js";
import type { Mirror } from "../../mirror.js";
import { type ByResource, byResource } from "../matching/by-resource.js";
import { createMatcher, type Matcher } from "../matching/matcher.js";

/** A webhook of a configuration, read once. */
export interface Hook {
  readonly name: string;
  /** Of the configuration that it stands in. */
  readonly configuration: string;
  readonly client: WebhookClientConfig;
  readonly matcher: Matcher;
  /** Compiled when a write first comes to them. */
  readonly conditions: () => readonly PolicyExpression[];
  readonly failsOpen: boolean;
  readonly hasSideEffects: boolean;
  readonly timeoutMs: number;
  readonly reviewVersions: readonly string[];
  readonly isReinvoked: boolean;
}

const usualTimeoutSeconds = 10;

export type CompileConditions = (conditions: readonly MatchCondition[]) => readonly PolicyExpression[];

export function hooksOf(
  { metadata, webhooks = [] }: WebhookConfiguration,
  compile: CompileConditions,
): readonly Hook[] {
  return webhooks.map((webhook) => hookOf(webhook, { configuration: metadata.name ?? "", compile }));
}

interface Around {
  readonly configuration: string;
  readonly compile: CompileConditions;
}

function hookOf(webhook: Webhook, { configuration, compile }: Around): Hook {
  const { rules = [], matchPolicy, namespaceSelector = {}, objectSelector = {}, sideEffects } = webhook;
  return {
    name: webhook.name ?? "",
    configuration,
    client: webhook.clientConfig ?? {},
    matcher: createMatcher({
      resourceRules: rules,
      ...(matchPolicy === undefined ? {} : { matchPolicy }),
      namespaceSelector,
      objectSelector,
    }),
    conditions: once(() => compile(webhook.matchConditions ?? [])),
    failsOpen: webhook.failurePolicy === "Ignore",
    hasSideEffects: sideEffects !== "None" && sideEffects !== "NoneOnDryRun",
    timeoutMs: 1000 * (webhook.timeoutSeconds ?? usualTimeoutSeconds),
    reviewVersions: webhook.admissionReviewVersions ?? [],
    isReinvoked: webhook.reinvocationPolicy === "IfNeeded",
  };
}

/** The webhooks of all configurations, in the order in which they are asked: by the names of those. */
export function followHooks(configurations: Mirror, compile: CompileConditions): () => ByResource<Hook> {
  let from: readonly AnyObject[] = [];
  let hooks: ByResource<Hook> = byResource([]);
  return () => {
    // The same list until a configuration changes.
    const now = configurations.inNamespace("");
    if (now === from) return hooks;
    from = now;
    hooks = byResource(now.flatMap((one) => hooksOf(one, compile)).map((one) => ({ one, matcher: one.matcher })));
    return hooks;
  };
}
