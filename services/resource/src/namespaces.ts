import { ApiError, forbidden, notFound, type ResourceName } from "@orch/status/api-error.js";
import { type Key, key, type Revision, revision } from "@orch/store/revision.js";
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
    object: { readonly resource: ResourceName; readonly name: string },
  ): void | Promise<void>;
}

export interface NamespacesOptions {
  readonly store: Store;
  /** Of the namespaces' keys, with the closing slash. */
  readonly prefix: Key;
  readonly log: (what: string, error: unknown) => void;
}

const retryMs = 500;

export function createNamespaces({ store, prefix, log }: NamespacesOptions): Namespaces {
  let phases = new Map<string, NamespacePhase>();
  let loaded = false;
  const nameOf = (at: Key): string => at.slice(prefix.length);

  const load = async (): Promise<Revision> => {
    const { entries, revision: at } = await store.range({ prefix });
    phases = new Map(entries.map((entry) => [nameOf(entry.key), phaseOf(entry)]));
    loaded = true;
    return at;
  };

  const follow = async (from: Revision, signal: AbortSignal): Promise<void> => {
    for await (const item of store.watch({ prefix, from, signal })) {
      if (item.type === "progress") continue;
      for (const event of item.events) {
        if (event.type === "put") phases.set(nameOf(event.entry.key), phaseOf(event.entry));
        else phases.delete(nameOf(event.key));
      }
    }
  };

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
    async run(signal) {
      while (!signal.aborted) {
        try {
          await follow(revision((await load()) + 1), signal);
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof ApiError && error.reason === "Expired"))
            log("following namespaces failed; loading anew", error);
          await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      }
    },
    get loaded() {
      return loaded;
    },
    admitCreate(namespace, object) {
      const known = phases.get(namespace);
      if (known !== undefined) return judge(known, namespace, object);
      // Just created, perhaps: the mirror is a moment behind.
      return store.get(key(prefix + namespace)).then((entry) => {
        judge(entry === undefined ? undefined : phaseOf(entry), namespace, object);
      });
    },
  };
}

/** Terminating from the moment that deletion was asked for, whatever the status says. */
function phaseOf(entry: Entry): NamespacePhase {
  const object = JSON.parse(entry.value.toString("utf8")) as {
    metadata?: { deletionTimestamp?: string };
    status?: { phase?: string };
  };
  return object.metadata?.deletionTimestamp !== undefined || object.status?.phase === "Terminating"
    ? "Terminating"
    : "Active";
}
