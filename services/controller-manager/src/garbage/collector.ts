import type { ApiResource, ApiResources } from "@orch/client/discovery.js";
import { metadataOnly } from "@orch/client/metadata-only.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { sleep } from "@orch/runtime/clock.js";
import type { Controller } from "../controller.js";
import { createEventRecorder } from "../events.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { createAbsentOwners } from "./absent-owners.js";
import { examine } from "./examine.js";
import { createGraph, type Graph, type GraphNode } from "./graph.js";
import { createLiveObjects, type KindPlace } from "./live.js";
import { createMonitors } from "./monitors.js";
import { orphanDependents } from "./orphan.js";
import { createOrphaners } from "./orphaners.js";
import { identityText, type OwnerReference } from "./references.js";

export interface GarbageCollectorConfig {
  /** Objects that are looked at, and owners whose dependents are set free, at once (`--concurrent-gc-syncs`). */
  readonly workers: number;
}

const name = "garbage-collector-controller";
/** Between looks at what the server serves. */
const discoveryMs = 30_000;
const firstDiscoveryMs = 1_000;
/** How long the first lists may take before work begins all the same: every verdict asks the server anyway. */
const firstListsMs = 30_000;

/**
 * Deletes objects whose owners are gone, deletes in the foreground and orphans (rules: Common object metadata). It
 * follows the metadata of everything that can be listed, watched and deleted, but Events.
 */
export function createGarbageCollector(config: GarbageCollectorConfig, tools: ControllerTools): Controller {
  return {
    async run(signal) {
      const collection = createCollection(config, tools, signal);
      await Promise.all([collection.follow(), collection.work()]);
    },
  };
}

function createCollection({ workers }: GarbageCollectorConfig, tools: ControllerTools, signal: AbortSignal) {
  const { client, mirror, clock, random, telemetry, naming, discovery } = tools;
  const failed = failureTeller(tools, name);
  const accept = metadataOnly(naming);
  const absentOwners = createAbsentOwners();
  const orphaners = createOrphaners();
  let places: ReadonlyMap<string, KindPlace> = new Map();
  const live = createLiveObjects({
    client,
    accept: accept.object,
    signal,
    place: ({ apiVersion, kind }) => places.get(`${apiVersion}/${kind}`),
  });
  const recorder = createEventRecorder({ client, component: name, clock, random, signal, onError: failed });

  const queueOf = (queue: string, work: (node: GraphNode) => Promise<Outcome>) =>
    createWorkQueue<GraphNode>({
      workers,
      work,
      clock,
      observer: telemetry.queue(queue),
      onError: (error, { identity }) => failed(error, { object: identityText(identity) }),
    });
  /** Nodes that wait only because they were virtual: an event may have shown them since. */
  const unverified = new Set<GraphNode>();
  const examining = queueOf("garbage_collector_attempt_to_delete", async (node) => {
    if (unverified.delete(node) && !node.virtual) return "done";
    // Another node of the same uid may stand there by now.
    if (node.virtual && graph.node(node.identity.uid) !== node) return "done";
    const outcome = await examine({ graph, live, absentOwners, orphaners, examine: examineSoon }, node);
    if (outcome === "unknown-kind") return "retry";
    if (outcome === "deleted") telemetry.collected(resourceOf(places, node));
    // What no event has shown is asked for until one does: it may have gone again unseen.
    return node.virtual && graph.node(node.identity.uid) === node ? "retry" : "done";
  });
  const orphaning = queueOf("garbage_collector_attempt_to_orphan", async (node) => {
    await orphanDependents(live, orphaners, node);
    return "done";
  });
  const examineSoon = (node: GraphNode): void => {
    unverified.delete(node);
    examining.add(node);
  };
  const graph: Graph = createGraph({
    examine: examineSoon,
    verify(node) {
      unverified.add(node);
      examining.add(node);
    },
    examineLater: (node) => examining.addLater(node),
    orphan: (node) => orphaning.add(node),
    absent: (identity) => absentOwners.add(identity),
    ownerElsewhere: (dependent, reference) => void recorder.warn(wrongNamespace(dependent, reference)),
  });
  const monitors = createMonitors({
    mirror,
    changes: {
      seen: (kind, object) => graph.observe(kind, object),
      gone: (kind, object) => graph.forget(kind, object),
    },
    onError: (error, { resource }) => failed(error, { resource }),
  });

  let began = (): void => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });

  return {
    /** Keeps the monitors as discovery says. */
    async follow(): Promise<void> {
      let before: ApiResources | undefined;
      let following: readonly ApiResource[] = [];
      while (!signal.aborted) {
        try {
          const resources = await discovery.read(signal);
          if (resources !== before) {
            places = placesOf(resources, places);
            following = followed(resources, following, naming.group("events"));
            monitors.follow(following, signal);
            before = resources;
            began();
          }
        } catch (error) {
          if (!signal.aborted) failed(error);
        }
        telemetry.graphSize(graph.size);
        await sleep(clock, before === undefined ? firstDiscoveryMs : discoveryMs, signal);
      }
      await monitors.ended();
    },
    async work(): Promise<void> {
      await Promise.race([begun.then(() => monitors.synced()), sleep(clock, firstListsMs, signal)]);
      await Promise.all([examining.run(signal), orphaning.run(signal)]);
    },
  };
}

function placesOf(resources: ApiResources, before: ReadonlyMap<string, KindPlace>): ReadonlyMap<string, KindPlace> {
  // A group that is away for a while keeps its places.
  const places = new Map(resources.stale.length === 0 ? [] : before);
  const seen = new Set<string>();
  for (const { group, version, kind, resource, namespaced, verbs } of resources.all) {
    const key = `${group === "" ? version : `${group}/${version}`}/${kind}`;
    if (seen.has(key) || !verbs.includes("get")) continue;
    seen.add(key);
    places.set(key, { collection: { group, version, resource }, namespaced });
  }
  return places;
}

const needed = ["delete", "list", "watch"];

/** What takes part in ownership. Events are many, own nothing and are owned by nobody. */
function followed(
  { preferred, stale }: ApiResources,
  before: readonly ApiResource[],
  eventsGroup: string,
): readonly ApiResource[] {
  const isFollowed = ({ group, resource, verbs }: ApiResource): boolean =>
    needed.every((verb) => verbs.includes(verb)) && !(resource === "events" && (group === "" || group === eventsGroup));
  const away = new Set(stale);
  const kept = before.filter(({ group, version }) => away.has(`${group}/${version}`));
  return [...preferred, ...kept].filter(isFollowed);
}

function resourceOf(places: ReadonlyMap<string, KindPlace>, { identity }: GraphNode): string {
  const collection = places.get(`${identity.apiVersion}/${identity.kind}`)?.collection;
  if (collection === undefined) return identity.kind;
  return collection.group === "" ? collection.resource : `${collection.resource}.${collection.group}`;
}

function wrongNamespace({ identity }: GraphNode, { apiVersion, kind, name: owner, uid }: OwnerReference) {
  const { namespace } = identity;
  const text = identityText({ apiVersion, kind, name: owner, uid, namespace });
  return {
    about: identity,
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef ${text} does not exist in namespace ${JSON.stringify(namespace)}`,
  };
}
