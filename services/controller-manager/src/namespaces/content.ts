import type { ApiResource, ApiResources } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http/http.js";
import { listAll } from "@orch/client/list-all.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Findings } from "./conditions.js";

export interface Emptied extends Findings {
  /** Seconds in which what remains may go by itself; 0 where nothing remains. */
  readonly estimateSeconds: number;
}

export interface EmptyOptions {
  readonly client: Pick<Client, "list" | "delete" | "deleteCollection">;
  /** Media type of lists of metadata. */
  readonly accept: string;
  readonly signal: AbortSignal;
  readonly namespace: string;
  /** Since its deletion was asked for. */
  readonly secondsSince: number;
}

/** What one resource of the namespace is after it was told to go. */
interface Rest {
  readonly objects: readonly ApiObject[];
  readonly graceSeconds: number;
}

/** How long what finalizers hold may take, when nothing better is known. */
const finalizerSeconds = 15;
const width = 4;

/** Deletes everything in a namespace and tells what is left (rules: Object deletion). Failures are findings. */
export async function emptyNamespace(resources: ApiResources, options: EmptyOptions): Promise<Emptied> {
  const contentFailures: string[] = [];
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  let estimateSeconds = 0;
  const deletable = resources.preferred.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes("delete") && verbs.includes("list"),
  );
  const emptyOne = async (resource: ApiResource): Promise<void> => {
    let rest: Rest;
    try {
      rest = await emptyResource(resource, options);
    } catch (error) {
      if (options.signal.aborted) throw error;
      contentFailures.push(messageOf(error));
      return;
    }
    const count = rest.objects.length;
    if (count === 0) return;
    remaining.set(`${resource.resource}.${resource.group}`, count);
    const held = heldBy(rest.objects);
    for (const [finalizer, n] of held) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + n);
    const seconds = rest.graceSeconds > 0 ? rest.graceSeconds : held.size > 0 ? finalizerSeconds : 0;
    estimateSeconds = Math.max(estimateSeconds, seconds);
    if (seconds === 0) contentFailures.push(unexpected(resource, options.namespace));
  };
  const queue = [...deletable];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await emptyOne(next);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return {
    discoveryFailure: discoveryFailure(resources),
    parsingFailure: undefined,
    contentFailures,
    remaining,
    finalizers,
    estimateSeconds,
  };
}

function discoveryFailure({ stale }: ApiResources): string | undefined {
  if (stale.length === 0) return undefined;
  const failures = stale.map((groupVersion) => `${groupVersion}: stale GroupVersion discovery: ${groupVersion}`);
  const list = `unable to retrieve the complete list of server APIs: ${failures.join(", ")}`;
  return `Discovery failed for some groups, ${stale.length} failing: ${list}`;
}

/** Without a finalizer and without a grace period it should have been gone. */
function unexpected({ group, version, resource }: ApiResource, namespace: string): string {
  const gvr = `${group}/${version}, Resource=${resource}`;
  return `unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}`;
}

/** @throws ApiError */
async function emptyResource(resource: ApiResource, options: EmptyOptions): Promise<Rest> {
  const { client, accept, signal, namespace } = options;
  const { group, version, verbs } = resource;
  const collection = { group, version, resource: resource.resource, namespace };
  const list = async (): Promise<readonly ApiObject[]> => (await listAll(client, collection, { accept, signal })).items;
  const before = await list();
  if (before.length === 0) return { objects: [], graceSeconds: 0 };
  const isPods = group === "" && resource.resource === "pods";
  const graceSeconds = isPods ? await podGrace(collection, options) : 0;
  await deleteAll(collection, before, { ...options, asCollection: verbs.includes("deletecollection") });
  return { objects: await list(), graceSeconds };
}

async function deleteAll(
  collection: Collection,
  objects: readonly ApiObject[],
  { client, signal, asCollection }: EmptyOptions & { readonly asCollection: boolean },
): Promise<void> {
  const how = { propagationPolicy: "Background", signal } as const;
  if (asCollection) {
    try {
      await client.deleteCollection(collection, how);
      return;
    } catch (error) {
      // Said to be there and is not: one by one then.
      if (!(error instanceof ApiError && (error.reason === "MethodNotAllowed" || error.reason === "NotFound")))
        throw error;
    }
  }
  for (const { metadata } of objects) {
    await client.delete(collection, metadata.name ?? "", how).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
    });
  }
}

/** The longest time that a pod which may still run is given, while that time is not over. */
async function podGrace(collection: Collection, { client, signal, secondsSince }: EmptyOptions): Promise<number> {
  const pods = await listAll(client, collection, { signal });
  let longest = 0;
  for (const pod of pods.items) {
    const phase = isRecord(pod["status"]) ? pod["status"]["phase"] : undefined;
    if (phase === "Succeeded" || phase === "Failed") continue;
    const seconds = isRecord(pod["spec"]) ? pod["spec"]["terminationGracePeriodSeconds"] : undefined;
    if (typeof seconds === "number" || typeof seconds === "bigint") longest = Math.max(longest, Number(seconds));
  }
  return secondsSince >= longest ? 0 : longest;
}

function heldBy(objects: readonly ApiObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of objects) {
    const finalizers = metadata["finalizers"];
    for (const finalizer of Array.isArray(finalizers) ? finalizers : []) {
      counts.set(String(finalizer), (counts.get(String(finalizer)) ?? 0) + 1);
    }
  }
  return counts;
}
