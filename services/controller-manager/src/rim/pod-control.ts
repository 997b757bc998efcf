import type { Client } from "@orch/client/client.js";
import type { EventRecorder } from "@orch/client/events/event-recorder.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { isGoing, type Kind, type Meta, referenceTo } from "./objects.js";

/** What pods are made of. */
export interface PodTemplate {
  readonly metadata?: Pick<Meta, "labels" | "annotations" | "finalizers" | "name">;
  readonly spec?: object;
}

/** A pod of an owner's template, under a name that begins with the owner's. */
export function podOfTemplate(template: PodTemplate, owner: ApiObject, kind: Kind) {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { name = "", namespace = "" } = owner.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${name}-`,
      namespace,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [referenceTo(kind, owner)],
    },
    spec: specOf(template),
  };
}

export interface PodControlDeps {
  readonly client: Pick<Client, "create" | "delete">;
  readonly kind: Kind;
  readonly events: EventRecorder;
}

/** Makes and deletes pods, and tells of it on their owner. */
export interface PodControl {
  /** Undefined where the namespace ends: nobody needs to hear of that. @throws ApiError */
  create(pod: ApiObject, owner: ApiObject, signal: AbortSignal): Promise<ApiObject | undefined>;
  /** One that is gone already is as good as deleted. @throws ApiError */
  delete(pod: ApiObject, owner: ApiObject, signal: AbortSignal): Promise<void>;
}

const pods = { group: "", version: "v1", resource: "pods" };

export function createPodControl({ client, kind, events }: PodControlDeps): PodControl {
  const tell = (owner: ApiObject, type: "Normal" | "Warning", reason: string, message: string): void => {
    // Events about what goes would be refused, or outlive it.
    if (type === "Warning" && isGoing(owner)) return;
    events.tell({ about: owner, kind, type, reason, message });
  };
  return {
    async create(pod, owner, signal) {
      const { namespace = "" } = owner.metadata;
      try {
        const made = await client.create({ ...pods, namespace }, pod, { signal });
        tell(owner, "Normal", "SuccessfulCreate", `Created pod: ${made.metadata.name}`);
        return made;
      } catch (error) {
        if (isNamespaceEnding(error)) return undefined;
        if (!signal.aborted) tell(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
        throw error;
      }
    },
    async delete(pod, owner, signal) {
      const { namespace = "", name = "", uid = "" } = pod.metadata;
      try {
        const preconditions = { uid };
        const gone = await client.delete({ ...pods, namespace }, name, { preconditions, signal }).catch(unlessPast);
        if (gone !== undefined) tell(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
      } catch (error) {
        if (!signal.aborted) tell(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
        throw error;
      }
    },
  };
}

/** What is made in a namespace that is being deleted is refused. */
export function isNamespaceEnding(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.reason === "Forbidden" &&
    error.details?.causes?.some((cause) => cause.reason === "NamespaceTerminating") === true
  );
}

function specOf({ spec }: PodTemplate): Readonly<Record<string, unknown>> {
  return { ...spec };
}
