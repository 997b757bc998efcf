import { identityOnly } from "@orch/client/metadata-only.js";
import { type Mirror, type View, wholeObject } from "@orch/client/mirror.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import type { Source } from "./sources.js";

export interface WatchedDeps {
  readonly mirror: Mirror;
  readonly sources: readonly Source[];
  /** Called after each change. */
  readonly changed: () => void;
  /** A pod is gone, or another one has its name. */
  readonly podGone: (key: string) => void;
  /** Nodes are kept whole, for those who ask for them. */
  readonly keepsNodes: boolean;
  /** What decisions read of a pod. */
  readonly keepPod: (object: ApiObject) => ApiObject;
  readonly onError: (error: unknown) => void;
}

/** Everything that decisions depend on. */
export interface Watched {
  /** Follows it until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when all of it has been listed. */
  readonly synced: Promise<unknown>;
  /** A node as the server has it; undefined where none are kept. */
  node(name: string): ApiObject | undefined;
}

/** Follows the sources and tells them of every change. */
export function watchAll(deps: WatchedDeps): Watched {
  const views = deps.sources.map((source) => follow(source, deps));
  const nodes = deps.keepsNodes ? views[deps.sources.findIndex(isNodes)] : undefined;
  return {
    node: (name) => nodes?.store.get(name),
    async run(signal) {
      await Promise.all(views.map((view) => view.run(signal)));
    },
    synced: Promise.all(views.map((view) => view.synced)),
  };
}

const isNodes = ({ collection }: Source): boolean => collection.resource === "nodes";

function follow(
  source: Source,
  { mirror, changed, podGone, keepsNodes, keepPod, onError }: WatchedDeps,
): View<ApiObject> {
  const { collection, sees } = source;
  const isPods = collection.resource === "pods";
  const gone = (key: string): void => {
    source.gone(key);
    if (isPods) podGone(key);
  };
  const put = (object: ApiObject): void => {
    // Of very many pods there is one value, which the feed has and the mirror.
    source.put(isPods ? (view.store.get(keyOf(object)) ?? keepPod(object)) : withoutManagers(object));
    changed();
  };
  const view: View<ApiObject> = mirror.view({
    collection,
    sees,
    // The feed has the rest in its own form.
    keep: isPods ? keepPod : keepsNodes && isNodes(source) ? wholeObject : identityOnly,
    // So that whole pods go with their page of the list.
    listTells: isPods ? "kept" : "whole",
    handlers: {
      added: put,
      modified(object, before) {
        // Deleted and made again between two looks.
        if (before.metadata.uid !== object.metadata.uid) gone(keyOf(object));
        put(object);
      },
      deleted(object) {
        gone(keyOf(object));
        changed();
      },
    },
    onError,
  });
  return view;
}
