import { forbidden, notFound, type ResourceName } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import { type Damage, damageText } from "@orch/store/damaged-entry.js";
import { createFollowing } from "@orch/store/follow.js";
import { followValues } from "@orch/store/follow-values.js";
import { type Key, key } from "@orch/store/revision.js";
import type { Entry, Store } from "@orch/store/store.js";

export type NamespacePhase = "Active" | "Terminating";

/** Which namespaces there are: a mirror of their keys, asked before anything is created in one. */
export interface Namespaces {
  /** Follows the store until the signal. */
  run(signal: AbortSignal): Promise<void>;
  readonly loaded: boolean;
  /**
   * @throws ApiError NotFound when the namespace does not exist (the store is asked when the mirror has not
   * heard of it), Forbidden with cause NamespaceTerminating while it is being deleted.
   */
  admitCreate(
    namespace: string,
    object: { readonly resource: ResourceName; readonly name: string; readonly dryRun?: boolean },
  ): void | Promise<void>;
}

export interface NamespacesOptions {
  readonly store: Store;
  /** Of the namespaces' keys, with the closing slash. */
  readonly prefix: Key;
  readonly log: (what: string, error: unknown) => void;
  /** Whether anything may be created in a namespace that is not there or goes (NamespaceLifecycle turned off). */
  readonly anyway?: boolean;
  /** Makes a namespace that is not there (NamespaceAutoProvision). */
  readonly provision?: ((namespace: string) => Promise<void>) | undefined;
}

export function createNamespaces({ store, prefix, log, anyway = false, provision }: NamespacesOptions): Namespaces {
  let phases = new Map<string, NamespacePhase>();
  let loaded = false;
  const nameOf = (at: Key): string => at.slice(prefix.length);

  /** One that cannot be read is not known here: whoever asks for it is told by the store. */
  const tell = (damaged: readonly Damage[]): void => {
    if (damaged.length > 0) log("stored namespaces cannot be read", new Error(damageText(damaged)));
  };
  const phaseByName = (entry: Entry): readonly [string, NamespacePhase] => [nameOf(entry.key), phaseOf(entry)];
  const follower = followValues(phaseByName, {
    replaced(all, damaged) {
      phases = new Map(all);
      loaded = true;
      tell(damaged);
    },
    changed: ([name, phase]) => void phases.set(name, phase),
    deleted: (at) => void phases.delete(nameOf(at)),
    damaged(damage) {
      phases.delete(nameOf(damage.key));
      tell([damage]);
    },
  });

  const judge = (
    phase: NamespacePhase | undefined,
    namespace: string,
    object: { resource: ResourceName; name: string },
  ): void => {
    if (phase === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
    if (phase === "Active") return;
    const message = `namespace ${namespace} is being terminated`;
    throw forbidden(
      object.resource,
      object.name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }],
    );
  };

  return {
    run: createFollowing({ store, prefix, follower, subject: "namespaces", log }).run,
    get loaded() {
      return loaded;
    },
    admitCreate(namespace, object) {
      if (anyway && provision === undefined) return;
      const known = phases.get(namespace);
      if (known !== undefined) return anyway ? undefined : judge(known, namespace, object);
      // Just created, perhaps: the mirror is a moment behind.
      return store.get(key(prefix + namespace)).then(async (entry) => {
        if (entry === undefined && provision !== undefined && object.dryRun !== true) return provision(namespace);
        if (!anyway) judge(entry === undefined ? undefined : phaseOf(entry), namespace, object);
      });
    },
  };
}

/** Terminating from the moment that deletion was asked for, whatever the status says. */
function phaseOf(entry: Entry): NamespacePhase {
  const object = readJson(entry.value.toString("utf8")) as {
    metadata?: { deletionTimestamp?: string };
    status?: { phase?: string };
  };
  return object.metadata?.deletionTimestamp !== undefined || object.status?.phase === "Terminating"
    ? "Terminating"
    : "Active";
}
