import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import type { Client } from "./client.js";
import { isRecord } from "./objects.js";
import { groupsOneByOne } from "./plain-discovery.js";

/** A resource of one served version. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** What else it is called: its singular and short names; absent where it has none. */
  readonly otherNames?: readonly string[];
  /** `status`, `scale`; absent where it has none. */
  readonly subresources?: readonly string[];
}

/** What a server says that it serves. */
export interface ApiResources {
  /** Every resource in every version, the versions of a group in its order of preference. */
  readonly all: readonly ApiResource[];
  /** Each resource once, in the first of its group's versions that has it. */
  readonly preferred: readonly ApiResource[];
  /** Group-versions whose resources are not known for now: `metrics.example.com/v1`. */
  readonly stale: readonly string[];
}

export interface Discovery {
  /** What is served now; a document that has not changed is not sent again. @throws ApiError */
  read(signal?: AbortSignal): Promise<ApiResources>;
}

interface Document {
  readonly etag: string;
  readonly groups: readonly unknown[];
}

const roots = ["/api", "/apis"];

/** Reads aggregated discovery, which tells everything in two documents; of a server without it each version's alone. */
export function createDiscovery(client: Pick<Client, "raw">, naming: Naming): Discovery {
  const accept = `application/json;g=${naming.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList, application/json`;
  const known = new Map<string, Document>();
  let made: { readonly of: readonly Document[]; readonly resources: ApiResources } | undefined;

  const document = async (path: string, signal: AbortSignal | undefined): Promise<Document> => {
    const before = known.get(path);
    const { status, headers, body } = await client.raw({
      method: "GET",
      path,
      headers: { accept, ...(before === undefined ? {} : { "if-none-match": before.etag }) },
      ...(signal === undefined ? {} : { signal }),
    });
    if (status === 304 && before !== undefined) return before;
    const root: unknown = readJson(body.toString("utf8"));
    if (isPlain(root)) {
      // Its tag says nothing of the versions' documents.
      known.delete(path);
      return { etag: "", groups: await groupsOneByOne(root, (one) => plain(one, signal)) };
    }
    const read = { etag: String(headers["etag"] ?? ""), groups: groupsOf(root) };
    if (read.etag === "") known.delete(path);
    else known.set(path, read);
    return read;
  };

  const plain = async (path: string, signal: AbortSignal | undefined): Promise<unknown> => {
    const headers = { accept: "application/json" };
    const { body } = await client.raw({ method: "GET", path, headers, ...(signal === undefined ? {} : { signal }) });
    return readJson(body.toString("utf8"));
  };

  return {
    async read(signal) {
      const documents = await Promise.all(roots.map((path) => document(path, signal)));
      if (made === undefined || documents.some((d, i) => d !== made?.of[i])) {
        made = { of: documents, resources: resourcesOf(documents.flatMap(({ groups }) => groups)) };
      }
      return made.resources;
    },
  };
}

const isPlain = (root: unknown): boolean =>
  isRecord(root) && (root["kind"] === "APIVersions" || root["kind"] === "APIGroupList");

function groupsOf(list: unknown): readonly unknown[] {
  const items = isRecord(list) && list["kind"] === "APIGroupDiscoveryList" ? list["items"] : undefined;
  if (Array.isArray(items)) return items;
  throw new ApiError("InternalError", "the server's answer is no APIGroupDiscoveryList");
}

function resourcesOf(groups: readonly unknown[]): ApiResources {
  const all: ApiResource[] = [];
  const stale: string[] = [];
  for (const group of groups) {
    const name = text(at(at(group, "metadata"), "name"));
    for (const version of list(at(group, "versions"))) {
      const versionName = text(at(version, "version"));
      if (at(version, "freshness") === "Stale") stale.push(name === "" ? versionName : `${name}/${versionName}`);
      for (const resource of list(at(version, "resources"))) {
        const otherNames = given([at(resource, "singularResource"), ...list(at(resource, "shortNames"))].map(text));
        const subresources = given(list(at(resource, "subresources")).map((one) => text(at(one, "subresource"))));
        all.push({
          group: name,
          version: versionName,
          resource: text(at(resource, "resource")),
          kind: text(at(at(resource, "responseKind"), "kind")),
          namespaced: at(resource, "scope") === "Namespaced",
          verbs: list(at(resource, "verbs")).map(text),
          ...(otherNames === undefined ? {} : { otherNames }),
          ...(subresources === undefined ? {} : { subresources }),
        });
      }
    }
  }
  const seen = new Set<string>();
  const preferred = all.filter(({ group, resource }) => {
    const key = `${group}/${resource}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return { all, preferred, stale };
}

const given = (texts: readonly string[]): readonly string[] | undefined => {
  const some = texts.filter((one) => one !== "");
  return some.length === 0 ? undefined : some;
};

const at = (value: unknown, field: string): unknown => (isRecord(value) ? value[field] : undefined);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
