import { isTree, type Tree, textAt, textsAt, treeAt } from "../json.js";
import { type Schemas, schemaAt, typeName } from "./schemas.js";

/** What may stand at a place of a text. */
export interface Candidate {
  readonly label: string;
  readonly insert: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export interface Completion {
  /** What is replaced: from here to the cursor. */
  readonly from: number;
  readonly candidates: readonly Candidate[];
}

interface Place {
  /** Keys that lead to the map or the value; `-` is an item of a list. */
  readonly path: readonly string[];
  /** Of a key or of a value, what of it stands before the cursor. */
  readonly word: string;
  readonly isValue: boolean;
  readonly indent: number;
  /** Keys that the map has already, as far as lines around tell. */
  readonly siblings: ReadonlySet<string>;
}

const mostCandidates = 60;

/** What can be written at the cursor. Only the lines' indentation is looked at: a text under work is seldom whole. */
export function complete(text: string, cursor: number, schemas: Schemas): Completion | undefined {
  const place = placeAt(text, cursor);
  if (place === undefined) return undefined;
  const schema = schemaAt(schemas, place.path);
  if (schema === undefined) return undefined;
  const all = place.isValue ? valuesOf(schema) : keysOf(schema, place, schemas);
  const word = place.word.toLowerCase();
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(word));
  const has = all.filter(({ label }) => !label.toLowerCase().startsWith(word) && label.toLowerCase().includes(word));
  const candidates = [...begins, ...has].slice(0, mostCandidates);
  return candidates.length === 0 ? undefined : { from: cursor - place.word.length, candidates };
}

/** The keys that lead to the line of the cursor. */
export function placeAt(text: string, cursor: number): Place | undefined {
  const lines = text.split("\n");
  const row = text.slice(0, cursor).split("\n").length - 1;
  const start = cursor - (text.lastIndexOf("\n", cursor - 1) + 1);
  const before = (lines[row] ?? "").slice(0, start);
  if (before.trimStart().startsWith("#")) return undefined;
  const line = readLine(before);
  const path = pathTo(lines, row, line);
  const siblings = siblingsOf(lines, row, line.indent);
  if (line.key === undefined) return { path, word: line.rest, isValue: false, indent: line.indent, siblings };
  return { path: [...path, line.key], word: line.rest, isValue: true, indent: line.indent, siblings };
}

interface ReadLine {
  /** Where its key begins; behind the dash of an item. */
  readonly indent: number;
  /** Where its dash stands; undefined where it has none. */
  readonly dash: number | undefined;
  readonly key: string | undefined;
  readonly rest: string;
}

function readLine(line: string): ReadLine {
  let at = 0;
  let dash: number | undefined;
  for (;;) {
    while (line[at] === " ") at++;
    if (line[at] !== "-" || (line[at + 1] !== " " && line.length > at + 1)) break;
    dash = at;
    at++;
  }
  const rest = line.slice(at);
  const colon = rest.indexOf(":");
  const isKey = colon > 0 && (rest[colon + 1] === " " || rest.length === colon + 1);
  if (!isKey) return { indent: at, dash, key: undefined, rest };
  return { indent: at, dash, key: unquoted(rest.slice(0, colon).trim()), rest: rest.slice(colon + 1).trimStart() };
}

const unquoted = (key: string): string => (key.startsWith('"') && key.endsWith('"') ? key.slice(1, -1) : key);

/** Walks up: from a map to the key or the dash that it is below of, from a list to its key, which may stand in the same column. */
function pathTo(lines: readonly string[], row: number, { indent, dash }: ReadLine): readonly string[] {
  const path: string[] = dash === undefined ? [] : ["-"];
  let [column, isList] = [dash ?? indent, dash !== undefined];
  const step = (line: ReadLine): void => {
    if (line.dash !== undefined) path.unshift("-");
    [column, isList] = [line.dash ?? line.indent, line.dash !== undefined];
  };
  for (let at = row - 1; at >= 0 && (column > 0 || isList); at--) {
    const text = lines[at] ?? "";
    if (text.trim() === "" || text.trimStart().startsWith("#")) continue;
    const line = readLine(text);
    const isParent = isList ? line.indent <= column && line.dash !== column : line.indent < column;
    if (isParent && line.key !== undefined) {
      path.unshift(line.key);
      step(line);
    } else if (!isList && line.indent === column && line.dash !== undefined) step(line);
  }
  return path;
}

function siblingsOf(lines: readonly string[], row: number, indent: number): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (from: number, by: number): void => {
    for (let at = from; at >= 0 && at < lines.length; at += by) {
      const text = lines[at] ?? "";
      if (text.trim() === "") continue;
      const line = readLine(text);
      if (line.indent < indent) return;
      if (line.indent === indent && line.key !== undefined && (by > 0 ? line.dash === undefined : true))
        found.add(line.key);
      if (line.indent === indent && line.dash !== undefined) return;
    }
  };
  look(row - 1, -1);
  look(row + 1, 1);
  return found;
}

function keysOf(schema: Tree, { indent, siblings }: Place, { resolve }: Schemas): readonly Candidate[] {
  const required = new Set(textsAt(schema, "required"));
  const candidates = Object.entries(treeAt(schema, "properties"))
    .filter(([name]) => !siblings.has(name))
    .map(([name, value]): Candidate => {
      const below = resolve(isTree(value) ? value : {});
      return {
        label: name,
        insert: `${name}:${openingOf(below, indent)}`,
        type: typeName(below, resolve),
        description: textAt(isTree(value) ? value : {}, "description") || textAt(below, "description"),
        isRequired: required.has(name),
      };
    });
  return candidates.sort((a, b) => Number(b.isRequired) - Number(a.isRequired) || (a.label < b.label ? -1 : 1));
}

/** What comes behind a key: its value on the same line, or the next line with the place for what is below. */
function openingOf(schema: Tree, indent: number): string {
  const type = textAt(schema, "type");
  const inside = " ".repeat(indent);
  if (type === "array") return `\n${inside}  - `;
  return type === "object" ? `\n${inside}  ` : " ";
}

function valuesOf(schema: Tree): readonly Candidate[] {
  const values = textAt(schema, "type") === "boolean" ? ["true", "false"] : textsAt(schema, "enum");
  return values.map((value) => ({ label: value, insert: value, type: "", description: "", isRequired: false }));
}
