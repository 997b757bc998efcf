import type { Kind } from "./discovery.js";

/** An object, or all of its kind where the name is empty. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

type Named = Pick<Kind, "group" | "version" | "plural" | "namespaced">;

export const versionPath = ({ group, version }: Pick<Kind, "group" | "version">): string =>
  group === ""
    ? `/api/${encodeURIComponent(version)}`
    : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;

/** The path of all objects of a kind, in a namespace or in all. */
export function collectionPath(kind: Named, namespace: string): string {
  const inside = kind.namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${versionPath(kind)}${inside}/${encodeURIComponent(kind.plural)}`;
}

export function objectPath(kind: Named, { namespace, name }: Place, ...below: readonly string[]): string {
  return [collectionPath(kind, namespace), ...[name, ...below].map(encodeURIComponent)].join("/");
}

/** Parameters of a request, those that are empty left out. */
export function query(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== "" && value !== false,
  );
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
