import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { parseYaml } from "./yaml/yaml.js";

/** One document of a configuration file, its fields not yet looked at. */
export interface ConfigurationDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly fields: JsonObject;
  /** Of fields that stand there twice, as strict decoding tells them: `key "parallelism" already set in map`. */
  readonly problems: readonly string[];
}

export type ReadDocument =
  | { readonly ok: true; readonly document: ConfigurationDocument }
  | { readonly ok: false; readonly problem: string };

/** Reads one document, YAML or JSON. Its version and kind must be there; whether anybody knows them is the caller's matter. */
export function readDocument(text: string): ReadDocument {
  const refuse = (problem: string): ReadDocument => ({ ok: false, problem });
  if (text.trim() === "") return refuse(missing("Kind", text));
  const decoded = parseYaml(Buffer.from(text));
  if (!decoded.ok) return refuse(decoded.problem);
  const fields: unknown = decoded.value ?? {};
  if (!isObject(fields)) return refuse("couldn't get version/kind: the file must be an object");
  const { apiVersion, kind } = fields;
  if (!isName(kind)) return refuse(missing("Kind", text));
  if (!isName(apiVersion)) return refuse(missing("apiVersion", text));
  const problems = decoded.duplicates.map((field) => `key ${JSON.stringify(field)} already set in map`);
  return { ok: true, document: { apiVersion, kind, fields, problems } };
}

const missing = (what: string, text: string): string => `Object '${what}' is missing in '${text}'`;

const isName = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The sentence for a document whose version or kind nobody knows. */
export function unknownKind({ apiVersion, kind }: Pick<ConfigurationDocument, "apiVersion" | "kind">): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
}

/** The sentence for what strict decoding refuses. */
export const strictProblem = (problems: readonly string[]): string => `strict decoding error: ${problems.join(", ")}`;

/**
 * The texts of a file's documents, which lines of `---` part; without those that hold nothing but comments. What follows the
 * hundredth mark is one text, which no reader takes for a document.
 */
export function splitDocuments(text: string): readonly string[] {
  const documents: string[][] = [[]];
  for (const line of text.split("\n")) {
    if (!isMark(line) || documents.length > maxMarks) documents.at(-1)?.push(line);
    else documents.push([line.slice(mark.length)]);
  }
  return documents.filter((lines) => lines.some(isContent)).map((lines) => lines.join("\n"));
}

const mark = "---";
const maxMarks = 100;

/** What follows the mark on its line belongs to the document that begins there. */
const isMark = (line: string): boolean =>
  line.startsWith(mark) && (line.length === mark.length || " \t\r".includes(line.charAt(mark.length)));

function isContent(line: string): boolean {
  const plain = line.trim();
  return plain !== "" && !plain.startsWith("#") && plain !== "...";
}
