import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { unavailable } from "@orch/status/api-error.js";
import { type Authorizer, allowed, type Decision, noOpinion } from "../authorizer.js";
import type { Collection, Follower, Following, ObjectSource } from "../object-source.js";
import { noRules, type RuleResolver } from "../rules.js";
import type { UserInfo } from "../user.js";
import { nodeRules, unrelated } from "./decide.js";
import { podEdges, type RefKind, refOf, textAt, volumeEdges } from "./edges.js";
import { createNodeGraph, type NodeGraph } from "./graph.js";

export interface NodeAuthorizer extends Authorizer, RuleResolver {
  /** Nothing is read before the first node asks. */
  start(source: ObjectSource): void;
  stop(): void;
}

export interface NodeAuthorizerDeps {
  readonly naming: Naming;
  /** Of the role `system:node`: what nodes may do with resources that are alike for all of them. */
  readonly rules: readonly PolicyRule[];
  /** Whether there are ResourceSlices (the gate DynamicResourceAllocation). */
  readonly resourceSlices: boolean;
  readonly clock: { after(ms: number, run: () => void): () => void };
  /** How long a node's first requests wait for what is read because of them. */
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;
const userPrefix = "system:node:";
/** Whom every node belongs to. */
export const nodesGroup = "system:nodes";

/** The name of the node that a user is; "" for a node without a name, undefined for everyone else. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(userPrefix) || !groups.includes(nodesGroup)) return undefined;
  return name.slice(userPrefix.length);
}

/**
 * Lets a node do with its pods, and with what they need, what an agent on it has to (`--authorization-mode=Node`).
 * Others have no opinion made for them. Requests that come before the objects are known wait for them, and are
 * ServiceUnavailable in the end.
 */
export function createNodeAuthorizer(deps: NodeAuthorizerDeps): NodeAuthorizer {
  const { naming, clock, waitMs = defaultWaitMs } = deps;
  const decide = nodeRules(naming, deps.rules);
  let graph = createNodeGraph();
  let followed: readonly Followed[] | undefined;

  const related = (node: string, ref: string): Decision => (graph.reaches(node, ref) ? allowed : unrelated(node));

  const waitFor = (needed: readonly Followed[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (needed.every((each) => each.loaded)) end(resolve);
      };
      const end = (settle: () => void): void => {
        cancel();
        for (const each of needed) each.waiting.delete(look);
        settle();
      };
      const cancel = clock.after(waitMs, () => end(() => reject(notLoaded())));
      for (const each of needed) each.waiting.add(look);
    });

  return {
    start(source) {
      graph = createNodeGraph();
      followed = parts(graph, naming)
        .filter(({ kinds }) => deps.resourceSlices || !kinds.includes("slice"))
        .map((part) => createFollowed(part, source));
    },
    stop() {
      for (const each of followed ?? []) each.stop();
      followed = undefined;
    },
    authorize(attributes) {
      const node = nodeOf(attributes.user);
      if (node === undefined) return noOpinion;
      if (node === "") {
        return { outcome: "noOpinion", reason: `unknown node for user ${JSON.stringify(attributes.user.name)}` };
      }
      if (attributes.kind === "path") return noOpinion;
      const answer = decide(attributes, node);
      if ("outcome" in answer) return answer;
      if (attributes.namespace.includes("/")) return unrelated(node);
      if (followed === undefined) return Promise.reject(notLoaded());
      const needed = followed.filter(({ kinds }) => kinds.includes(answer.kind));
      for (const each of needed) each.open();
      if (needed.every((each) => each.loaded)) return related(node, answer.ref);
      return waitFor(needed).then(() => related(node, answer.ref));
    },
    rulesFor(user) {
      if (nodeOf(user) === undefined) return noRules;
      return { rules: [], incomplete: true, evaluationError: "node authorizer does not support user rule resolution" };
    },
  };
}

const notLoaded = () => unavailable("the objects that the node authorizer decides by are not loaded yet");

/** A collection and what follows from it. */
interface Part {
  readonly collection: Collection;
  /** Questions that it takes to answer. */
  readonly kinds: readonly RefKind[];
  clear(): void;
  set(object: AnyObject): void;
  remove(object: AnyObject): void;
}

function parts(graph: NodeGraph, naming: Naming): readonly Part[] {
  const podRef = ({ metadata }: AnyObject): string => refOf("pod", metadata.namespace ?? "", metadata.name ?? "");
  const clusterRef = (kind: RefKind, { metadata }: AnyObject): string => refOf(kind, "", metadata.name ?? "");
  const owned = (kind: "attachment" | "slice", collection: Collection): Part => ({
    collection,
    kinds: [kind],
    clear: () => graph.clear({ owned: refOf(kind, "", "") }),
    set: (object) => graph.setOwner(clusterRef(kind, object), textAt(object["spec"], "nodeName")),
    remove: (object) => graph.setOwner(clusterRef(kind, object), ""),
  });
  return [
    {
      collection: { group: "", version: "v1", resource: "pods" },
      kinds: ["pod", "secret", "configMap", "claim", "volume", "resourceClaim", "serviceAccount"],
      clear: () => graph.clear("pods"),
      set: (pod) => graph.setPod(podRef(pod), podEdges(pod, naming)),
      remove: (pod) => graph.setPod(podRef(pod), undefined),
    },
    {
      collection: { group: "", version: "v1", resource: "persistentvolumes" },
      kinds: ["secret", "volume"],
      clear: () => graph.clear("volumes"),
      set: (volume) => graph.setVolume(clusterRef("volume", volume), volumeEdges(volume)),
      remove: (volume) => graph.setVolume(clusterRef("volume", volume), undefined),
    },
    owned("attachment", { group: naming.group("storage"), version: "v1", resource: "volumeattachments" }),
    owned("slice", { group: naming.group("resource"), version: "v1beta1", resource: "resourceslices" }),
  ];
}

interface Followed {
  readonly kinds: readonly RefKind[];
  readonly loaded: boolean;
  /** Told once it is loaded. */
  readonly waiting: Set<() => void>;
  /** Begins to follow, if it does not yet. */
  open(): void;
  stop(): void;
}

function createFollowed(part: Part, source: ObjectSource): Followed {
  let loaded = false;
  let following: Following | undefined;
  const waiting = new Set<() => void>();
  const follower: Follower = {
    replaced(objects) {
      part.clear();
      for (const object of objects) part.set(object);
      loaded = true;
      for (const look of [...waiting]) look();
    },
    changed: part.set,
    deleted: part.remove,
  };
  return {
    kinds: part.kinds,
    get loaded() {
      return loaded;
    },
    waiting,
    open() {
      following ??= source.follow(part.collection, follower);
    },
    stop: () => following?.stop(),
  };
}
