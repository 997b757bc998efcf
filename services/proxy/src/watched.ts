import { type Mirror, wholeObject } from "@orch/client/mirror.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Cluster } from "./model/cluster.js";
import type { RawNode, RawService, RawSlice } from "./model/objects.js";

export interface WatchedDeps {
  readonly mirror: Mirror;
  readonly naming: Naming;
  readonly cluster: Cluster;
  readonly hostname: string;
  readonly changed: (what: "service" | "endpoint" | "node") => void;
  /** The node as it is from now on; undefined: there is none of its name. */
  readonly node: (node: RawNode | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** Everything that rules depend on. */
export interface Watched {
  /** Follows it until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when all of it has been listed. */
  readonly synced: Promise<unknown>;
}

/** An object as those see it who look at some of its fields: the server has validated them. */
const trusted = <T extends object>(object: ApiObject): T => object as object as T;

export function watchAll(deps: WatchedDeps): Watched {
  const { mirror, naming, cluster, hostname, changed, node, onError } = deps;
  const serviceName = naming.key("service-name");
  // Those of another proxy, and those that lead to pods by their names.
  const labelSelector = [`!service.${naming.key("service-proxy-name")}`, `!service.${naming.key("headless")}`].join(
    ",",
  );
  const follow = (collection: Collection, selectors: object, put: (object: ApiObject, isGone: boolean) => void) =>
    mirror.view({
      ...{ collection, sees: "objects", keep: wholeObject, onError },
      ...selectors,
      handlers: {
        added: (object) => put(object, false),
        modified: (object) => put(object, false),
        deleted: (object) => put(object, true),
      },
    });
  const views = [
    follow({ group: "", version: "v1", resource: "services" }, { labelSelector }, (object, isGone) => {
      cluster.service(keyOf(object), isGone ? undefined : trusted<RawService>(object));
      changed("service");
    }),
    follow(
      { group: naming.group("discovery"), version: "v1", resource: "endpointslices" },
      { labelSelector },
      (object, isGone) => {
        const { namespace = "", labels = {} } = object.metadata;
        const name = labels[serviceName];
        const owner = name === undefined ? undefined : `${namespace}/${name}`;
        cluster.slice(keyOf(object), owner, isGone ? undefined : trusted<RawSlice>(object));
        changed("endpoint");
      },
    ),
    follow(
      { group: "", version: "v1", resource: "nodes" },
      { fieldSelector: `metadata.name=${hostname}` },
      (object, isGone) => {
        node(isGone ? undefined : trusted<RawNode>(object));
        changed("node");
      },
    ),
  ];
  return {
    async run(signal) {
      await Promise.all(views.map((view) => view.run(signal)));
    },
    synced: Promise.all(views.map((view) => view.synced)),
  };
}
