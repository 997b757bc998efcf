import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Naming } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";
import { type Reader, reader } from "../reader.js";
import { compareVersions } from "../versions.js";

/** Descriptions of types and fields, read when OpenAPI is first asked for. */
export interface Docs {
  /** What `core/v1.Pod` is, or its field; undefined where nobody has written it yet. */
  of(type: string, field?: string): string | undefined;
}

const folder = new URL("../../docs/", import.meta.url);

/** Says that a type's other fields are told as those of another type: `"...": "Container"`. */
const elsewhere = "...";

/**
 * `docs/<group>.<version>.json`: by type, then by field; `""` is the type itself. In the `orch` dialect. What a version does
 * not describe is described as in the group's other versions, the newest first: `v2` before `v1` before `v1beta1`.
 */
export function loadDocs(naming: Naming): Docs {
  const homes = describedHomes();
  const files = new Map<string, Reader | undefined>();
  const fileOf = (home: string): Reader | undefined => {
    if (!files.has(home)) files.set(home, readDocs(home));
    return files.get(home);
  };
  const textOf = (type: string, field: string): string | undefined => {
    const { home, name } = homeOf(type);
    const [group = ""] = home.split("/");
    const homesOfGroup = [home, ...(homes.get(group) ?? []).filter((other) => other !== home)];
    for (const one of homesOfGroup) {
      const text = textIn(one, { name, field });
      if (text !== undefined) return text;
    }
    return undefined;
  };
  const textIn = (home: string, { name, field }: { name: string; field: string }): string | undefined => {
    const texts = fileOf(home)?.object(name);
    const other = field === "" ? undefined : texts?.optionalText(elsewhere);
    const own = texts?.optionalText(field);
    if (own !== undefined || other === undefined) return own;
    return textOf(other.includes("/") ? other : `${home}.${other}`, field);
  };
  return {
    of(type, field = "") {
      const text = textOf(type, field);
      return text === undefined ? undefined : naming.word(text);
    },
  };
}

/** By group, the versions that have descriptions: `autoscaling` → `autoscaling/v2`, `autoscaling/v1`. */
function describedHomes(): ReadonlyMap<string, readonly string[]> {
  const byGroup = new Map<string, string[]>();
  for (const file of readdirSync(folder)) {
    const [, group = "", version = ""] = /^(.*)\.(v\d\w*)\.json$/.exec(file) ?? [];
    const homes = byGroup.get(group) ?? [];
    byGroup.set(group, [...homes, `${group}/${version}`].sort(newestFirst));
  }
  return byGroup;
}

function newestFirst(one: string, other: string): number {
  return compareVersions(one.slice(one.indexOf("/") + 1), other.slice(other.indexOf("/") + 1));
}

function readDocs(home: string): Reader | undefined {
  const file = new URL(`${home.replace("/", ".")}.json`, folder);
  return existsSync(file) ? reader(file.pathname, readJson(readFileSync(file, "utf8"))) : undefined;
}

/** `core/v1.Pod` → `core/v1` and `Pod`. */
export function homeOf(type: string): { readonly home: string; readonly name: string } {
  const dot = type.indexOf(".", type.indexOf("/") + 1);
  return { home: type.slice(0, dot), name: type.slice(dot + 1) };
}
