import { badRequest } from "@orch/status/api-error.js";
import { shownSelector } from "./selectors/limits.js";

/** A place in an object, name by name: `spec.nodeName`, `metadata.labels['example.com/tier']`. */
export type FieldPath = readonly string[];

/** Names that one path may have. */
const maxDepth = 16;

export interface PathBounds {
  /** The parameter's name, for errors. */
  readonly parameter: string;
  readonly maxPaths: number;
  readonly maxLength: number;
}

export interface ReadPath {
  readonly path: FieldPath;
  /** A minus stood before it. */
  readonly descending: boolean;
}

// A dot and a name, or a name in brackets and quotes; neither can begin where the other does.
const step = /\.([A-Za-z_$][A-Za-z0-9_$-]*)|\['([^'\\]+)'\]/y;

/** Reads paths between commas; commas within quotes are part of a name. @throws ApiError BadRequest */
export function parseFieldPaths(text: string, bounds: PathBounds): readonly ReadPath[] {
  const refuse = (why: string): Error => badRequest(`invalid ${bounds.parameter}: ${why}`);
  if (text.length > bounds.maxLength) throw refuse(`it may have at most ${bounds.maxLength} characters`);
  const paths: ReadPath[] = [];
  const scanner = new RegExp(step);
  let at = 0;
  do {
    const descending = text[at] === "-";
    if (descending) at++;
    const begin = at;
    const names: string[] = [];
    // The first name has no dot before it.
    const dotted = `.${text.slice(begin)}`;
    scanner.lastIndex = text[begin] === "[" ? 1 : 0;
    for (let match = scanner.exec(dotted); match !== null; match = scanner.exec(dotted)) {
      names.push(match[1] ?? match[2] ?? "");
      at = begin + scanner.lastIndex - 1;
    }
    const end = text[at];
    if (names.length === 0 || (end !== undefined && end !== ",")) {
      throw refuse(`${JSON.stringify(shownSelector(text.slice(begin)))} does not begin with the path of a field`);
    }
    if (names.length > maxDepth) throw refuse(`a path may have at most ${maxDepth} names`);
    paths.push({ path: names, descending });
    if (paths.length > bounds.maxPaths) throw refuse(`it may have at most ${bounds.maxPaths} paths`);
    at++;
  } while (at <= text.length && text[at - 1] === ",");
  return paths;
}

/** A path as it is written; equal paths, equal texts. */
export function formatPath(path: FieldPath): string {
  return path.map((name, i) => (plain.test(name) ? `${i === 0 ? "" : "."}${name}` : `['${name}']`)).join("");
}

const plain = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;
