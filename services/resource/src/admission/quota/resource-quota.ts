import type { Kind } from "@orch/api/catalog.js";
import type { Resources } from "@orch/api/kinds/core/resources.js";
import { type Counted, decideQuotas, type LimitedResource } from "@orch/api/quota/decide.js";
import { evaluatorOf, isCounted } from "@orch/api/quota/evaluators.js";
import type { QuotaEvaluator } from "@orch/api/quota/types.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Mirror } from "../../mirror.js";
import type { JudgedState, Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import type { ResourceQuotaConfiguration } from "./configuration.js";
import { createQuotas } from "./raise.js";

export interface ResourceQuotaDeps {
  readonly naming: Naming;
  readonly quotas: Mirror;
  readonly configuration: ResourceQuotaConfiguration;
}

/**
 * Keeps namespaces to their quotas: what is used is raised before an object is written, and counted again by a
 * controller, of objects that were not written after all, too. Two plugins: what only creations use is none of the
 * business of updates.
 */
export function resourceQuota(deps: ResourceQuotaDeps): readonly AdmissionPlugin[] {
  const { naming, quotas, configuration } = deps;
  const raising = createQuotas();
  const known = new WeakMap<Kind, QuotaEvaluator>();
  const evaluatorFor = (kind: Kind): QuotaEvaluator => {
    const found = known.get(kind) ?? evaluatorOf(kind, naming);
    known.set(kind, found);
    return found;
  };
  // A change may be made again on a newer state: what it was charged with then is not charged again.
  const charges = new WeakMap<Write, Resources>();
  const limitedOf = ({ group, plural }: Kind): readonly LimitedResource[] =>
    configuration.limitedResources.filter((each) => each.group === group && each.resource === plural);

  const ask = async (state: JudgedState, counted: Counted): Promise<void> => {
    const { write, object, dryRun } = state;
    // What the mirror refuses may be allowed by now, and the other way round: the store decides.
    const { refusal } = await raising.ask(write.request.namespace, { deps: write.deps, counted, dryRun });
    if (refusal !== undefined) throw refused(write, object, refusal);
    if (!dryRun && counted.old !== undefined) charges.set(write, counted.evaluator.usage(object, counted.now));
  };
  const validate = (state: JudgedState): Promise<void> | undefined => {
    const { write, object, old } = state;
    const { kind, deps: own, request } = write;
    const inNamespace = quotas.inNamespace(request.namespace);
    if (inNamespace.length === 0 && configuration.limitedResources.length === 0) return undefined;
    const evaluator = evaluatorFor(kind);
    const counted = { evaluator, object, old, limited: limitedOf(kind), now: own.now(), charged: charges.get(write) };
    const decision = decideQuotas(inNamespace, counted);
    return decision.type === "allowed" && decision.raised.length === 0 ? undefined : ask(state, counted);
  };
  const ofUpdates = (kind: Kind, subresource: string): boolean =>
    kind.group === "" &&
    ((subresource === "" && evaluatorFor(kind).countsUpdates) || (kind.plural === "pods" && subresource === "resize"));
  const name = "ResourceQuota";
  return [
    {
      name,
      handles: (kind, subresource) =>
        kind.namespaced && subresource === "" && isCounted(kind, naming) && !ofUpdates(kind, subresource),
      validateCreate: validate,
    },
    { name, handles: (kind, subresource) => kind.namespaced && ofUpdates(kind, subresource), validate },
  ];
}
