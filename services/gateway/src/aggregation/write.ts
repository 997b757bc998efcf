import type { Naming } from "@orch/naming/naming.js";
import type { Peers } from "@orch/rpc/group-peers.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { resourceWrite } from "@orch/rpc/methods.js";
import type { ApiService, Condition } from "./api-service.js";

/** Writes of APIServices by the gateway itself. @throws ApiError */
export interface ApiServiceWriter {
  create(object: object): Promise<void>;
  /** Changes fields of the object that is known, and of no other of its name. */
  merge(service: ApiService, fields: object): Promise<void>;
  remove(service: ApiService): Promise<void>;
  /** Sets the condition `Available`. */
  condition(service: ApiService, condition: Condition): Promise<void>;
}

const deadlineMs = 10_000;

type Sent = Pick<WriteRequest, "verb" | "name" | "contentType"> & {
  readonly subresource?: string;
  readonly object: object;
};

export function createApiServiceWriter({
  naming,
  resources,
}: {
  readonly naming: Naming;
  readonly resources: Peers;
}): ApiServiceWriter {
  const group = naming.group("apiregistration");
  const version = "v1";
  const head = { apiVersion: `${group}/${version}`, kind: "APIService" };
  const send = async ({ object, subresource = "", ...sent }: Sent): Promise<void> => {
    await resources.of(group).call(
      resourceWrite,
      {
        ...{ group, version, resource: "apiservices", namespace: "", subresource, ...sent },
        body: Buffer.from(JSON.stringify(object)),
        ...{ options: {}, form: "", ifMatch: "", userAgent: naming.systemName("apiserver") },
        user: { name: "system:apiserver", uid: "", groups: [naming.mastersGroup], extra: {} },
      },
      { deadlineMs },
    );
  };
  const known = ({ uid }: ApiService) => (uid === "" ? {} : { uid });
  return {
    create: (object) => send({ verb: "create", name: "", contentType: json, object: { ...head, ...object } }),
    merge: (service, fields) =>
      send({
        verb: "patch",
        name: service.name,
        contentType: merge,
        object: { ...head, metadata: known(service), ...fields },
      }),
    remove: (service) =>
      send({
        ...{ verb: "delete", name: service.name, contentType: json },
        object: { kind: "DeleteOptions", apiVersion: "v1", preconditions: known(service) },
      }),
    condition: (service, condition) =>
      send({
        ...{ verb: "patch", name: service.name, subresource: "status", contentType: strategic },
        object: { ...head, metadata: known(service), status: { conditions: [{ type: "Available", ...condition }] } },
      }),
  };
}

const json = "application/json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
