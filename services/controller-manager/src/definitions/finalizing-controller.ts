import {
  type DefinitionCondition,
  definitionFinalizer,
  deletionInProgress,
  saysSo,
  withConditions,
} from "@orch/api/custom/conditions.js";
import type { DefinitionV1 } from "@orch/api/kinds/apiextensions/types.js";
import { listAll } from "@orch/client/list-all.js";
import { identityOnly, metadataOnly } from "@orch/client/metadata-only.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";

const name = "customresourcedefinition-finalizing-controller";
const workers = 5;
/** What finalizers hold goes when it goes: the next look is so much later. */
const againAfterMs = 1000;

const failed = (message: string): DefinitionCondition => ({
  ...{ type: "Terminating", status: "True", reason: "InstanceDeletionFailed" },
  message,
});
const ended = (reason: string, message: string): DefinitionCondition => ({
  ...{ type: "Terminating", status: "False", reason },
  message,
});
const completed = ended("InstanceDeletionCompleted", "removed all instances");
const neverThere = ended("NeverEstablished", "resource was never established");

/** Deletes the objects of definitions that are being deleted, then lets the definitions go. */
export function createDefinitionFinalizer(tools: ControllerTools): Controller {
  const { mirror, clock, telemetry } = tools;
  const tell = failureTeller(tools, name);
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers,
        work: (definition, working) => finish(definition, tools, working),
        clock,
        observer: telemetry.queue("crd_finalizer"),
        onError: (error, definition) => tell(error, { definition }),
      });
      const look = ({ metadata }: ApiObject): void => {
        if (typeof metadata["deletionTimestamp"] === "string") queue.add(metadata.name ?? "");
      };
      const definitions = mirror.view({
        collection: definitionsOf(tools),
        // That one is being deleted stands in its metadata.
        sees: "metadata",
        keep: identityOnly,
        handlers: { added: look, modified: look },
        onError: tell,
      });
      await Promise.all([definitions.run(signal), queue.run(signal)]);
    },
  };
}

function definitionsOf({ naming }: Pick<ControllerTools, "naming">): Collection {
  return { group: naming.group("apiextensions"), version: "v1", resource: "customresourcedefinitions" };
}

/** One round: deletes what is there, says what is left, and lets the definition go when nothing is. */
async function finish(definition: string, tools: ControllerTools, signal: AbortSignal): Promise<Outcome> {
  const { client, naming } = tools;
  const collection = definitionsOf(tools);
  const finalizer = definitionFinalizer(naming);
  const found: DefinitionV1 | undefined = await client.get(collection, definition, { signal }).catch(whereMissing);
  if (found?.metadata.deletionTimestamp === undefined || !found.metadata.finalizers?.includes(finalizer)) return "done";
  const told = await say(found, deletionInProgress, tools, signal);
  const rest = await emptied(told, tools, signal);
  if (rest.is === "left") return { againAfterMs };
  const last = await say(told, rest.is === "failed" ? failed(rest.why) : rest.said, tools, signal);
  if (rest.is === "failed") throw new Error(rest.why);
  const finalizers = last.metadata.finalizers?.filter((one) => one !== finalizer) ?? [];
  const free = { ...last, metadata: { ...last.metadata, finalizers } };
  await client.update(collection, free, { signal }).catch(whereMissing);
  return "done";
}

/** A condition goes into its status, where it does not stand there; the newest state. */
async function say(
  definition: DefinitionV1,
  condition: DefinitionCondition,
  tools: ControllerTools,
  signal: AbortSignal,
): Promise<DefinitionV1> {
  if (saysSo(definition.status, [condition])) return definition;
  const status = withConditions(definition.status ?? {}, [condition], wireTime(tools.clock.now()));
  return tools.client.update(
    definitionsOf(tools),
    { ...definition, metadata: { ...definition.metadata }, status },
    { subresource: "status", signal },
  );
}

type Rest =
  | { readonly is: "empty"; readonly said: DefinitionCondition }
  /** Some objects go as soon as their finalizers do. */
  | { readonly is: "left" }
  | { readonly is: "failed"; readonly why: string };

async function emptied({ spec, status }: DefinitionV1, tools: ControllerTools, signal: AbortSignal): Promise<Rest> {
  const { client, naming } = tools;
  if (!status?.conditions?.some((one) => one.type === "Established" && one.status === "True")) {
    return { is: "empty", said: neverThere };
  }
  const versions = spec?.versions ?? [];
  // Of a definition of which nothing is served, the stored version is while it goes.
  const reached = versions.find(({ served }) => served === true) ?? versions.find(({ storage }) => storage === true);
  const version = reached?.name;
  if (version === undefined) return { is: "failed", why: "could not list instances: no version is stored" };
  const all = { group: spec?.group ?? "", version, resource: status.acceptedNames?.plural ?? "" };
  const list = async (): Promise<readonly ApiObject[]> =>
    (await listAll(client, all, { accept: metadataOnly(naming).list, signal })).items;
  try {
    const before = await list();
    const namespaces = new Set(before.map(({ metadata }) => metadata.namespace ?? ""));
    for (const namespace of namespaces) {
      const own = namespace === "" ? all : { ...all, namespace };
      await client.deleteCollection(own, { propagationPolicy: "Background", signal });
    }
    if (before.length > 0 && (await list()).length > 0) return { is: "left" };
    return { is: "empty", said: completed };
  } catch (error) {
    if (signal.aborted) throw error;
    return { is: "failed", why: `could not issue all deletes: ${messageOf(error)}` };
  }
}

function whereMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "NotFound") return undefined;
  throw error;
}
