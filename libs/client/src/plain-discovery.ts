import { isRecord } from "./objects.js";

/** Reads one document. @throws ApiError */
export type ReadDocument = (path: string) => Promise<unknown>;

/**
 * The groups of a root document that is not aggregated (`APIVersions` of `/api`, `APIGroupList` of `/apis`), as the
 * aggregated one has them: servers before release 1.27, or with that turned off, tell each version's resources alone.
 * A version that cannot be read is stale.
 */
export async function groupsOneByOne(root: unknown, read: ReadDocument): Promise<readonly unknown[]> {
  const versionsOf = async (name: string, versions: readonly string[]): Promise<unknown> => ({
    metadata: { name },
    versions: await Promise.all(
      versions.map((version) => versionOf(version, name === "" ? `/api/${version}` : `/apis/${name}/${version}`, read)),
    ),
  });
  if (!isRecord(root)) return [];
  if (root["kind"] === "APIVersions") return [await versionsOf("", texts(root["versions"]))];
  return Promise.all(records(root["groups"]).map((group) => versionsOf(String(group["name"]), preferredFirst(group))));
}

function preferredFirst(group: Readonly<Record<string, unknown>>): readonly string[] {
  const versions = records(group["versions"]).map(({ version }) => String(version));
  const preferred = isRecord(group["preferredVersion"]) ? String(group["preferredVersion"]["version"]) : "";
  return [
    ...versions.filter((version) => version === preferred),
    ...versions.filter((version) => version !== preferred),
  ];
}

async function versionOf(version: string, path: string, read: ReadDocument): Promise<unknown> {
  try {
    const list = await read(path);
    const resources = isRecord(list) ? records(list["resources"]) : [];
    const parts = resources.filter((resource) => !isWhole(resource)).map(({ name }) => String(name));
    return { version, resources: resources.filter(isWhole).map((resource) => asAggregated(resource, parts)) };
  } catch {
    return { version, freshness: "Stale", resources: [] };
  }
}

/** `pods`, and not `pods/status`. */
const isWhole = ({ name }: Readonly<Record<string, unknown>>): boolean => !String(name).includes("/");

/** `parts` are those of all resources: `pods/status`. */
function asAggregated(resource: Readonly<Record<string, unknown>>, parts: readonly string[]): unknown {
  const { name, kind, namespaced, verbs, singularName, shortNames } = resource;
  const own = parts.filter((part) => part.startsWith(`${String(name)}/`));
  return {
    ...{ resource: name, responseKind: { kind }, scope: namespaced === true ? "Namespaced" : "Cluster", verbs },
    ...{ singularResource: singularName, shortNames },
    subresources: own.map((part) => ({ subresource: part.slice(part.indexOf("/") + 1) })),
  };
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
