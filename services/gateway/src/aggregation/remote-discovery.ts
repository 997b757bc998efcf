import { createNaming, dialects } from "@orch/naming/naming.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { pathOf, type Remote } from "./api-service.js";
import type { OwnAnswer } from "./own-requests.js";

/** The resources of a group-version, as an aggregated document lists them. */
export type Resources = readonly JsonObject[];

/** Asks one server one question. */
export type Ask = (path: string, headers: readonly string[]) => Promise<OwnAnswer>;

const listKind = "APIGroupDiscoveryList";

/** Servers of others have names of their own dialect. */
const accepted = ["v2", "v2beta1"]
  .flatMap((version) =>
    dialects.map(
      (dialect) => `application/json;g=${createNaming(dialect).group("apidiscovery")};v=${version};as=${listKind}`,
    ),
  )
  .join(",");

/**
 * What a server says of its group-version: in its aggregated document, else in the old one of the group-version. What it says of
 * others is not heard.
 * @throws Error where it says nothing that can be read
 */
export async function fetchResources(ask: Ask, remote: Remote): Promise<Resources> {
  const aggregated = await ask("/apis", ["Accept", accepted]);
  if (aggregated.code === 200 && aggregated.header("content-type").includes(listKind)) {
    return versionOf(parsed(aggregated.body), remote);
  }
  if (aggregated.code === 503) throw new Error("the server answers 503 to discovery");
  const old = await ask(pathOf(remote), ["Accept", "application/json"]);
  if (old.code !== 200) throw new Error(`the server answers ${old.code} to discovery`);
  return fromOldForm(parsed(old.body));
}

function parsed(body: Buffer): JsonObject {
  const value: unknown = readJson(body.toString("utf8"));
  if (!isObject(value)) throw new Error("the discovery document is no object");
  return value;
}

/** A server that does not list its group-version has nothing in it. */
function versionOf(document: JsonObject, { group, version }: Remote): Resources {
  const groups = objects(document["items"]).filter(({ metadata }) => isObject(metadata) && metadata["name"] === group);
  const found = groups.flatMap(({ versions }) => objects(versions)).find((one) => one["version"] === version);
  return objects(found?.["resources"]).flatMap((one) => resource(one));
}

/** Only what a document may say, each in its type: it stands in ours. */
function resource(one: JsonObject): readonly JsonObject[] {
  const { resource: name, scope } = one;
  if (typeof name !== "string" || name === "") return [];
  const subresources = objects(one["subresources"]).flatMap((part) =>
    typeof part["subresource"] === "string"
      ? [{ subresource: part["subresource"], responseKind: kindOf(part["responseKind"]), verbs: texts(part["verbs"]) }]
      : [],
  );
  return [
    {
      resource: name,
      responseKind: kindOf(one["responseKind"]),
      scope: scope === "Namespaced" ? "Namespaced" : "Cluster",
      singularResource: text(one["singularResource"]),
      verbs: texts(one["verbs"]),
      ...listed("shortNames", texts(one["shortNames"])),
      ...listed("categories", texts(one["categories"])),
      ...listed("subresources", subresources),
    },
  ];
}

/** `things/status` belongs to `things`. */
function fromOldForm(document: JsonObject): Resources {
  const all = objects(document["resources"]).filter(({ name }) => typeof name === "string" && name !== "");
  const parts = new Map<string, JsonObject[]>();
  for (const one of all) {
    const name = text(one["name"]);
    const slash = name.indexOf("/");
    if (slash < 0) continue;
    const subresource = name.slice(slash + 1);
    const some = parts.get(name.slice(0, slash)) ?? [];
    some.push({ subresource, responseKind: oldKind(one), verbs: texts(one["verbs"]) });
    parts.set(name.slice(0, slash), some);
  }
  return all
    .filter(({ name }) => !text(name).includes("/"))
    .map((one) => ({
      resource: text(one["name"]),
      responseKind: oldKind(one),
      scope: one["namespaced"] === true ? "Namespaced" : "Cluster",
      singularResource: text(one["singularName"]),
      verbs: texts(one["verbs"]),
      ...listed("shortNames", texts(one["shortNames"])),
      ...listed("categories", texts(one["categories"])),
      ...listed("subresources", parts.get(text(one["name"])) ?? []),
    }));
}

/** The old form says group and version of foreign kinds only; the reference leaves them empty otherwise. */
function oldKind(one: JsonObject): JsonObject {
  return { group: text(one["group"]), version: text(one["version"]), kind: text(one["kind"]) };
}

function kindOf(value: unknown): JsonObject {
  if (!isObject(value)) return { group: "", version: "", kind: "" };
  return { group: text(value["group"]), version: text(value["version"]), kind: text(value["kind"]) };
}

const listed = (name: string, values: readonly unknown[]): object => (values.length === 0 ? {} : { [name]: values });
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
const objects = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
