import type { Kind } from "@orch/api/catalog.js";
import { definitionFinalizer, deletionPending, withConditions } from "@orch/api/custom/conditions.js";
import type { CustomResourceDefinition } from "@orch/api/kinds/apiextensions/types.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Integer64 } from "@orch/schema/integer64.js";
import type { DeleteOptions } from "./delete-options.js";

/** What the deletion of a kind's objects is beyond the rules for all. */
export interface Deletion {
  /** Seconds that an object is given before it goes. */
  readonly gracePeriod: (object: AnyObject, options: DeleteOptions) => Integer64;
  /** Whether it waits for more than the finalizers of its metadata. */
  readonly waits: (object: AnyObject) => boolean;
  /** Finalizers that its deletion begins with, beyond those that it has. */
  readonly finalizers: (naming: Naming) => readonly string[];
  /** The object once its deletion has begun; `now` as metadata has times. */
  readonly begun: (object: AnyObject, now: string) => AnyObject;
  /** What who deletes it in a version is told. */
  readonly warnings: (version: string, options: DeleteOptions) => readonly string[];
}

const usual: Deletion = {
  gracePeriod: () => 0,
  waits: () => false,
  finalizers: () => [],
  begun: (object) => object,
  warnings: () => [],
};

const defaultGraceSeconds = 30;

const pod: Deletion = {
  ...usual,
  /** One that runs somewhere is given what it asks for; everything else goes at once. */
  gracePeriod(object, { gracePeriodSeconds }) {
    const phase = valueAt(object, "status.phase");
    if (valueAt(object, "spec.nodeName") === undefined || phase === "Succeeded" || phase === "Failed") return 0;
    const own = valueAt(object, "spec.terminationGracePeriodSeconds");
    const wanted =
      gracePeriodSeconds ?? (typeof own === "number" || typeof own === "bigint" ? own : defaultGraceSeconds);
    return wanted < 0 ? 1 : wanted;
  },
};

const namespace: Deletion = {
  ...usual,
  /** It stays until the finalizers of its spec are gone as well. */
  waits(object) {
    const list = valueAt(object, "spec.finalizers");
    return Array.isArray(list) && list.length > 0;
  },
  /** It has no grace: what is in it goes first. */
  begun({ metadata: { deletionGracePeriodSeconds: _grace, ...metadata }, ...object }) {
    return { ...object, metadata, status: { ...Object(object["status"]), phase: "Terminating" } };
  },
};

const job: Deletion = {
  ...usual,
  /** Whoever does not say what becomes of a job's pods is told what does. */
  warnings(version, { propagation }) {
    if (propagation !== undefined || version !== "v1") return [];
    return [
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    ];
  },
};

/** Its objects go first, which takes a controller. */
const definition: Deletion = {
  ...usual,
  finalizers: (naming) => [definitionFinalizer(naming)],
  begun(object: CustomResourceDefinition & AnyObject, now) {
    return { ...object, status: withConditions(object.status ?? {}, [deletionPending], now) };
  },
};

const own: ReadonlyMap<string, Deletion> = new Map([
  ["core/v1.Pod", pod],
  ["core/v1.Namespace", namespace],
  ["batch/v1.Job", job],
  ["apiextensions/v1beta1.CustomResourceDefinition", definition],
]);

/** By the type of the stored version: groups have other names in the other dialect. */
export function deletionOf({ hub }: Kind): Deletion {
  return own.get(hub.type.name) ?? usual;
}

/** Whether the last thing that an object which is being deleted waited for is gone. */
export function isFinished(kind: Kind, object: AnyObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0 || deletionGracePeriodSeconds !== 0) return false;
  return !deletionOf(kind).waits(object);
}
