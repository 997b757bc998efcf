import { compileWebhookConditions } from "@orch/cel/admission/policy.js";
import type { Naming } from "@orch/naming/naming.js";
import type { WebhookCall } from "@orch/rpc/webhook-calls.js";
import type { Mirror } from "../../mirror.js";
import { note } from "../../write/audit-notes.js";
import { surfaceOf } from "../../write/surface.js";
import type { Write } from "../../write/write.js";
import type { AdmissionPlugin, Mutator } from "../admission.js";
import type { Concerned } from "../matching/by-resource.js";
import { exemptFromWebhooks } from "../matching/exempt.js";
import { type Operation, operationOf, questionOf } from "../matching/question.js";
import { shownAs } from "../matching/versions.js";
import { namespaceOf } from "../namespace-of.js";
import type { AskDeps } from "./ask.js";
import { followHooks, type Hook } from "./hook.js";
import type { WebhookMetrics } from "./metrics.js";
import { mutateByWebhooks, refuseDeletion } from "./mutating.js";
import { validateByWebhooks } from "./validating.js";

export interface WebhookDeps {
  readonly naming: Naming;
  readonly release: string;
  /** Of MutatingWebhookConfigurations or of ValidatingWebhookConfigurations. */
  readonly configurations: Mirror;
  readonly namespaces: Mirror;
  readonly call: (call: WebhookCall) => Promise<Buffer>;
  readonly newUid: () => string;
  readonly metrics: WebhookMetrics;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Lets webhooks change what is written, and refuse it. */
export function mutatingWebhooks(deps: WebhookDeps): { readonly mutator: Mutator; readonly plugin: AdmissionPlugin } {
  const { concerned, asking } = hooksOf(deps);
  return {
    mutator: {
      asks: (write, operation) => concerned(write, operation).length > 0,
      mutate: (state) => mutateByWebhooks(concerned(state.write, operationOf(state.write, state)), state, asking),
    },
    // A deletion changes nothing, and is theirs to refuse all the same.
    plugin: {
      name: "MutatingAdmissionWebhook",
      handles: () => true,
      asks: (write, operation) => operation === "DELETE" && concerned(write, operation).length > 0,
      async validateDelete(write, old) {
        const question = questionOf(write, { object: undefined, old: surfaceOf(write).show(old) });
        await refuseDeletion(concerned(write, "DELETE"), question, asking);
      },
    },
  };
}

/** Lets webhooks refuse what is written. */
export function validatingWebhooks(deps: WebhookDeps): AdmissionPlugin {
  const { concerned, asking } = hooksOf(deps);
  return {
    name: "ValidatingAdmissionWebhook",
    connects: true,
    handles: () => true,
    asks: (write, operation) => concerned(write, operation).length > 0,
    validate({ write, object, old }) {
      const { show } = surfaceOf(write);
      const states = { object: show(object), old: old === undefined ? undefined : show(old) };
      const hooks = concerned(write, operationOf(write, { object, old }));
      return validateByWebhooks(hooks, questionOf(write, states), asking);
    },
    async validateDelete(write, old) {
      const question = questionOf(write, { object: undefined, old: surfaceOf(write).show(old) });
      const advice = await validateByWebhooks(concerned(write, "DELETE"), question, asking);
      note(write, advice.auditAnnotations ?? []);
      if (advice.refusal !== undefined) throw advice.refusal.withWarnings(advice.warnings ?? []);
      return advice;
    },
  };
}

interface Hooks {
  readonly concerned: (write: Write, operation: Operation) => readonly Concerned<Hook>[];
  readonly asking: AskDeps;
}

const nobody: readonly Concerned<Hook>[] = [];

function hooksOf(deps: WebhookDeps): Hooks {
  const { naming, release, namespaces, configurations } = deps;
  const options = { dialect: naming.dialect, release, isStored: () => true };
  const hooks = followHooks(configurations, (conditions) => compileWebhookConditions(conditions, "", options));
  const isExempt = exemptFromWebhooks(naming);
  return {
    concerned: (write, operation) => (isExempt(write, operation) ? nobody : hooks().of(write, operation)),
    asking: {
      ...deps,
      group: naming.group("admission"),
      namespaceOf: ({ write }) => namespaceOf(write, namespaces),
      show: shownAs,
    },
  };
}
