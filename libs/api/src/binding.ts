import { type ApiError, conflict } from "@orch/status/api-error.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { PodCondition } from "./kinds/core/pod/status-types.js";
import type { Pod } from "./kinds/core/pod/types.js";
import type { ApiObject } from "./object.js";

/** `core/v1.Binding`: the body of `pods/binding`. */
export interface Binding extends ApiObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

/** What is wrong with a binding by itself: it names a node. */
export function validateBinding({ target = {} }: Binding): FieldError[] {
  const { kind = "", name = "" } = target;
  return [
    ...(kind === "" || kind === "Node" ? [] : [fieldError.notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [fieldError.required("target.name")] : []),
  ];
}

export type Bound = { readonly object: Pod } | { readonly error: ApiError };

/**
 * A pod with a node that a valid binding names, as it is to be stored; `now` as metadata has times. Refused with a
 * conflict (409): a pod that goes, that has a node already or that is held back by a gate, and one that is not the
 * pod the binding means (its uid or resourceVersion, where the binding has them).
 */
export function bindPod(pod: Pod, binding: Binding, now: string): Bound {
  const why = mismatch(pod, binding) ?? refusal(pod);
  if (why !== undefined) return { error: conflict(why.resource, pod.metadata.name ?? "", why.text) };
  const { annotations } = binding.metadata;
  const condition: PodCondition = { type: "PodScheduled", status: "True" };
  return {
    object: {
      ...pod,
      metadata: {
        ...pod.metadata,
        ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
      },
      spec: { ...pod.spec, nodeName: binding.target?.name ?? "" },
      status: { ...pod.status, conditions: withCondition(pod.status?.conditions ?? [], condition, now) },
    },
  };
}

interface Refusal {
  readonly resource: { readonly group: string; readonly resource: string };
  readonly text: string;
}

function refusal({ metadata, spec = {} }: Pod): Refusal | undefined {
  const { name = "" } = metadata;
  const { nodeName = "", schedulingGates = [] } = spec;
  const refused = (text: string): Refusal => ({ resource: { group: "", resource: "pods/binding" }, text });
  if (metadata.deletionTimestamp !== undefined) {
    return refused(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (nodeName !== "") return refused(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (schedulingGates.length > 0) return refused(`pod ${name} has non-empty .spec.schedulingGates`);
  return undefined;
}

function mismatch(pod: Pod, binding: Binding): Refusal | undefined {
  const { uid = "", resourceVersion = "" } = binding.metadata;
  const own = pod.metadata;
  const differs = (what: string, wanted: string, found = ""): Refusal => ({
    resource: { group: "", resource: "pods" },
    text: `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
  });
  if (uid !== "" && uid !== own.uid) return differs("UID", uid, own.uid);
  if (resourceVersion !== "" && resourceVersion !== own.resourceVersion) {
    return differs("ResourceVersion", resourceVersion, own.resourceVersion);
  }
  return undefined;
}

/** A condition takes the place of the one of its type; its time moves when its status does. */
function withCondition(
  conditions: readonly PodCondition[],
  condition: PodCondition,
  now: string,
): readonly PodCondition[] {
  const old = conditions.find((c) => c.type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old?.lastTransitionTime : now;
  const next = { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
  return old === undefined ? [...conditions, next] : conditions.map((c) => (c === old ? next : c));
}
