import type { ApiResource } from "@orch/client/discovery.js";
import type { Client, Query } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isApiObject, isRecord, listOf, pathOf } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { readJson } from "@orch/status/read-json.js";

/** An object whose past is asked for. */
export interface Named {
  readonly resource: ApiResource;
  /** "" where it is in none. */
  readonly namespace: string;
  readonly name: string;
}

/** A state as a history lists it. */
export interface Revision {
  readonly revision: number;
  /** RFC 3339; "" where nobody knows who made it, as the texts below. */
  readonly time: string;
  readonly change: string;
  readonly verb: string;
  readonly subresource: string;
  readonly user: string;
  readonly manager: string;
  readonly fields: readonly string[];
  readonly moreFields: boolean;
  readonly restorable: boolean;
}

export interface Deletion {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly lastRevision: number;
  readonly time: string;
  readonly user: string;
  readonly restorable: boolean;
}

type Reads = Pick<Client, "raw">;

export function collectionOf({
  resource: { group, version, resource, namespaced },
  namespace,
}: Omit<Named, "name">): Collection {
  return { group, version, resource, ...(namespaced && namespace !== "" ? { namespace } : {}) };
}

/** `configmap/hello`. */
export const titleOf = ({ resource: { kind }, name }: Named): string => `${kind.toLowerCase()}/${name}`;

/** The document of a history as the server writes it. @throws ApiError */
export function historyDocument(client: Reads, of: Named): Promise<Record<string, unknown>> {
  return read(client, `${pathOf(collectionOf(of), of.name)}/history`);
}

/** The newest first. @throws ApiError */
export async function readHistory(client: Reads, of: Named): Promise<readonly Revision[]> {
  return items(await historyDocument(client, of)).map(revisionOf);
}

function revisionOf(item: Readonly<Record<string, unknown>>): Revision {
  const fields: unknown = item["fields"];
  return {
    revision: Number(item["revision"]),
    ...{ time: text(item["time"]), change: text(item["change"]), verb: text(item["verb"]) },
    ...{ subresource: text(item["subresource"]), user: text(item["user"]), manager: text(item["manager"]) },
    fields: Array.isArray(fields) ? fields.map(String) : [],
    moreFields: item["moreFields"] === true,
    restorable: item["restorable"] === true,
  };
}

/** What changed from one state to the other. @throws ApiError */
export function readDifference(
  client: Reads,
  of: Named,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Record<string, unknown>> {
  return read(client, `${pathOf(collectionOf(of), of.name)}/history/${to}`, { diff: from });
}

/** An object as it was from a revision on. @throws ApiError */
export async function readState(client: Reads, of: Named, revision: number): Promise<ApiObject> {
  return objectOf(await read(client, `${pathOf(collectionOf(of), of.name)}/history/${revision}`));
}

/** An object as it was at a time, in milliseconds since 1970. @throws ApiError */
export async function readAt(client: Reads, of: Named, time: number): Promise<ApiObject> {
  return objectOf(await read(client, pathOf(collectionOf(of), of.name), { at: new Date(time).toISOString() }));
}

/** A whole collection as it was at a time, in milliseconds since 1970. @throws ApiError */
export async function listAt(client: Reads, of: Omit<Named, "name">, time: number): Promise<readonly ApiObject[]> {
  const objects: ApiObject[] = [];
  const at = new Date(time).toISOString();
  for (let next = ""; ; ) {
    const query = { at, ...(next === "" ? {} : { continue: next }) };
    const list = listOf(await read(client, pathOf(collectionOf(of)), query));
    if (list === undefined) throw new ApiError("InternalError", "the server's answer is no list");
    objects.push(...list.items);
    if (list.continue === "") return objects;
    next = list.continue;
  }
}

/** The deletions of a resource, of all pages. @throws ApiError */
export async function readDeleted(client: Reads, of: Omit<Named, "name">): Promise<readonly Deletion[]> {
  const deletions: Deletion[] = [];
  for (let next = ""; ; ) {
    const document = await read(client, `${pathOf(collectionOf(of))}/-/deleted`, next === "" ? {} : { continue: next });
    deletions.push(...items(document).map(deletionOf));
    const metadata = document["metadata"];
    next = isRecord(metadata) ? text(metadata["continue"]) : "";
    if (next === "") return deletions;
  }
}

function deletionOf(item: Readonly<Record<string, unknown>>): Deletion {
  const metadata = isRecord(item["metadata"]) ? item["metadata"] : {};
  return {
    ...{ namespace: text(metadata["namespace"]), name: text(metadata["name"]), uid: text(metadata["uid"]) },
    ...{ revision: Number(item["revision"]), lastRevision: Number(item["lastRevision"]) },
    ...{ time: text(item["time"]), user: text(item["user"]), restorable: item["restorable"] === true },
  };
}

export interface RestoreOptions {
  readonly dryRun?: boolean;
}

/** Writes a state anew; gives the object as it is then. @throws ApiError */
export async function restore(
  client: Reads,
  of: Named,
  { how, body, dryRun = false }: { readonly how: "rollback" | "undelete"; readonly body: object } & RestoreOptions,
): Promise<ApiObject> {
  const { body: answer } = await client.raw({
    method: "POST",
    path: `${pathOf(collectionOf(of), of.name)}/${how}`,
    query: dryRun ? { dryRun: "All" } : {},
    body: jsonText(body),
  });
  return objectOf(readJson(answer.toString("utf8")));
}

async function read(client: Reads, path: string, query: Query = {}): Promise<Record<string, unknown>> {
  const { body } = await client.raw({ method: "GET", path, query });
  const document: unknown = readJson(body.toString("utf8"));
  if (!isRecord(document)) throw new ApiError("InternalError", "the server's answer is no object");
  return document;
}

function objectOf(value: unknown): ApiObject {
  if (!isApiObject(value)) throw new ApiError("InternalError", "the server's answer is no object");
  return value;
}

function items(document: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { items: list } = document;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
