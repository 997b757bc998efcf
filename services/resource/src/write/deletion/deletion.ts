import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Integer64 } from "@orch/schema/integer64.js";
import type { DeleteOptions } from "./delete-options.js";

/** What the deletion of a kind's objects is beyond the rules for all. */
export interface Deletion {
  /** Seconds that an object is given before it goes. */
  readonly gracePeriod: (object: AnyObject, options: DeleteOptions) => Integer64;
  /** Whether it waits for more than the finalizers of its metadata. */
  readonly waits: (object: AnyObject) => boolean;
  /** The object once its deletion has begun. */
  readonly begun: (object: AnyObject) => AnyObject;
  /** What who deletes it in a version is told. */
  readonly warnings: (version: string, options: DeleteOptions) => readonly string[];
}

const usual: Deletion = {
  gracePeriod: () => 0,
  waits: () => false,
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
  begun: (object) => ({ ...object, status: { ...Object(object["status"]), phase: "Terminating" } }),
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

const own: ReadonlyMap<string, Deletion> = new Map([
  ["/Pod", pod],
  ["/Namespace", namespace],
  ["batch/Job", job],
]);

export function deletionOf({ group, kind }: Kind): Deletion {
  return own.get(`${group}/${kind}`) ?? usual;
}

/** Whether the last thing that an object which is being deleted waited for is gone. */
export function isFinished(kind: Kind, object: AnyObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0 || deletionGracePeriodSeconds !== 0) return false;
  return !deletionOf(kind).waits(object);
}
