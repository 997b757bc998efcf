import type { Type } from "@orch/schema/descriptor.js";
import type { Kind } from "../catalog.js";
import {
  type Context,
  capital,
  groupWord,
  type Operation,
  ok,
  type PathItem,
  type Section,
  versionInfo,
} from "./operations.js";
import { resourcePaths } from "./resource-paths.js";

/** One part of the interface and how its paths are worked out, which costs as much as it has kinds. */
export interface SectionSource {
  /** `api/v1`, `apis`, `apis/apps`, `version`: the path below `/openapi/v3/`. */
  readonly name: string;
  /** What it tells of: the same value for as long as the part is the same. */
  readonly of: object;
  readonly build: () => Section;
}

/** Every part of the served interface, in the order of its paths. */
export function sectionSources(context: Context): readonly SectionSource[] {
  const sources = context.catalog.groups().flatMap((group): SectionSource[] => {
    const { name, versions } = group;
    const root = name === "" ? "api" : `apis/${name}`;
    return [
      section(root, group, () => [groupPath(context, name)]),
      ...versions.map((version) => {
        const kinds = context.catalog.kindsOf(name, version);
        return section(`${root}/${version}`, kinds, () => versionPaths(context, { group: name, version, kinds }));
      }),
    ];
  });
  const rest = [
    section("apis", always.apis, () => [groupsPath(context)]),
    section("version", always.version, () => [versionPath()]),
  ];
  return [...sources, ...rest].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Parts that never change. */
const always = { apis: {}, version: {} };

function section(name: string, of: object, paths: () => readonly PathItem[]): SectionSource {
  return {
    name,
    of,
    build: () => ({ name, paths: [...paths()].sort((a, b) => (a.path < b.path ? -1 : 1)) }),
  };
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly Kind[];
}

function versionPaths(context: Context, { group, version, kinds }: GroupVersion): readonly PathItem[] {
  const word = groupWord(context.naming, group);
  const about = document(context, {
    id: `get${capital(word)}${capital(version)}APIResources`,
    tag: `${word}_${version}`,
    description: "list the resources of this version",
    type: context.typeNamed("meta/v1.APIResourceList"),
  });
  const path = group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`;
  return [{ path, operations: [about] }, ...kinds.flatMap((kind) => resourcePaths(context, kind))];
}

function groupPath(context: Context, group: string): PathItem {
  const word = groupWord(context.naming, group);
  if (group === "") {
    const type = context.typeNamed("meta/v1.APIVersions");
    const about = document(context, { id: "getCoreAPIVersions", tag: word, description: listVersions, type });
    return { path: "/api/", operations: [about] };
  }
  const about = document(context, {
    id: `get${capital(word)}APIGroup`,
    tag: word,
    description: "tell the versions of this group",
    type: context.typeNamed("meta/v1.APIGroup"),
  });
  return { path: `/apis/${group}/`, operations: [about] };
}

const listVersions = "list the versions that are served";

function groupsPath(context: Context): PathItem {
  const type = context.typeNamed("meta/v1.APIGroupList");
  return {
    path: "/apis/",
    operations: [document(context, { id: "getAPIVersions", tag: "apis", description: listVersions, type })],
  };
}

function versionPath(): PathItem {
  const spec = { id: "getCodeVersion", tag: "version", description: "tell what is running", type: versionInfo };
  return { path: "/version/", operations: [readable(spec, ["application/json"])] };
}

interface DocumentSpec {
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly type: Type;
}

function document(context: Context, spec: DocumentSpec): Operation {
  return readable(spec, context.offers.mediaTypes);
}

function readable({ id, tag, description, type }: DocumentSpec, mediaTypes: readonly string[]): Operation {
  return {
    method: "get",
    id,
    tag,
    description,
    action: undefined,
    kind: undefined,
    parameters: [],
    body: undefined,
    consumes: mediaTypes,
    produces: mediaTypes,
    answers: ok(type),
  };
}
