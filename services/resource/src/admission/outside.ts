import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import { CallRefused } from "@orch/rpc/call-refused.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { webhookCalls } from "@orch/rpc/webhook-calls.js";
import type { Mirror, MirrorDeps } from "../mirror.js";
import { builtIn } from "../write/write.js";
import type { AdmissionPlugin, Mutator } from "./admission.js";
import { createAsk } from "./image-policy/ask.js";
import type { ImagePolicyConfiguration } from "./image-policy/configuration.js";
import { imagePolicyWebhook } from "./image-policy/image-policy-webhook.js";
import type { PolicyMetrics } from "./policies/metrics.js";
import { mutatingPolicies, validatingPolicies } from "./policies/policies.js";
import type { WebhookMetrics } from "./webhooks/metrics.js";
import { mutatingWebhooks, validatingWebhooks } from "./webhooks/webhooks.js";

export interface OutsideDeps extends Pick<MirrorDeps, "store" | "log"> {
  readonly naming: Naming;
  readonly catalog: Catalog;
  readonly disabled: ReadonlySet<string>;
  /** Undefined where nobody is asked about images. */
  readonly imagePolicy: ImagePolicyConfiguration | undefined;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  readonly mirrorOf: (kind: Kind) => Mirror;
  /** The one that plugins ask, too. */
  readonly namespaces: Mirror;
  /** The services that call webhooks. */
  readonly webhooks: Pick<Caller, "call">;
  readonly metrics: WebhookMetrics;
  readonly policyMetrics: PolicyMetrics;
  /** Whether mutating policies are asked (gate MutatingAdmissionPolicy). */
  readonly mutatingPolicies: boolean;
  readonly newUid: () => string;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

/** What is asked of others than the plugins: policies and webhooks that users configure. Threads ask none. */
export interface Outside {
  readonly mutators: readonly Mutator[];
  /** By the names of plugins. */
  readonly plugins: ReadonlyMap<string, AdmissionPlugin>;
  /** Ends what follows the store for them. */
  readonly stop: () => void;
}

const validatingPolicyName = "ValidatingAdmissionPolicy";
const mutatingPolicyName = "MutatingAdmissionPolicy";

export function outsideAdmission(deps: OutsideDeps): Outside {
  const { naming, catalog, disabled, mirrorOf, monotonic } = deps;
  const group = naming.group("admissionregistration");
  const mirror = (apiVersion: string, kind: string): Mirror =>
    mirrorOf(builtIn({ deps: { catalog } }, apiVersion, kind));
  const shared = { ...deps, release: catalog.release, now: monotonic };
  const mutating = mutatingWebhooks({
    ...shared,
    configurations: mirror(`${group}/v1`, "MutatingWebhookConfiguration"),
    call: webhookCalls(deps.webhooks, "mutating"),
  });
  const validating = validatingWebhooks({
    ...shared,
    configurations: mirror(`${group}/v1`, "ValidatingWebhookConfiguration"),
    call: webhookCalls(deps.webhooks, "validating"),
  });
  const policiesOf = (apiVersion: string, kind: string) => ({
    ...{ ...shared, metrics: deps.policyMetrics },
    policies: mirror(apiVersion, kind),
    bindings: mirror(apiVersion, `${kind}Binding`),
  });
  const judges = disabled.has(validatingPolicyName)
    ? []
    : [validatingPolicies(policiesOf(`${group}/v1`, validatingPolicyName))];
  const changers =
    !deps.mutatingPolicies || disabled.has(mutatingPolicyName)
      ? []
      : [mutatingPolicies(policiesOf(`${group}/v1alpha1`, mutatingPolicyName))];
  const webhooks = disabled.has(mutating.plugin.name) ? [] : [mutating.mutator];
  return {
    mutators: [...changers.map(({ mutator }) => mutator), ...webhooks],
    plugins: new Map(
      [...imagePolicyOf(deps), mutating.plugin, ...judges.map(({ plugin }) => plugin), validating].map((plugin) => [
        plugin.name,
        plugin,
      ]),
    ),
    stop() {
      for (const { stop } of [...judges, ...changers]) stop();
    },
  };
}

/** How long the backend may take for one answer. */
const imageTimeoutMs = 30_000;

function imagePolicyOf({ naming, imagePolicy, webhooks, pause, monotonic }: OutsideDeps): readonly AdmissionPlugin[] {
  if (imagePolicy === undefined) return [];
  const call = webhookCalls(webhooks, "image");
  const ask = createAsk(imagePolicy, {
    ...{ naming, pause, now: monotonic },
    // Where the backend is, the service that calls it knows.
    call: (body) => call({ client: {}, body, timeoutMs: imageTimeoutMs }),
    isPassing: (error) =>
      !(error instanceof CallRefused) || error.failure !== "status" || error.status >= 500 || error.status === 429,
  });
  return [imagePolicyWebhook({ naming, ask, defaultAllow: imagePolicy.defaultAllow })];
}
