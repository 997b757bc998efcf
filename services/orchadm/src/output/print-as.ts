import { type FindAll, parseJsonPaths } from "@orch/api/custom/json-path.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";

/** Prints a value as `-o` says: `json`, `yaml`, `jsonpath=TEMPLATE`. */
export type PrintAs = (value: unknown) => string;

const pathPrefix = "jsonpath=";

/**
 * What `-o` asks for; undefined for the text that a command has of its own.
 * @throws Error for a format that is none
 */
export function printAs(format: string): PrintAs | undefined {
  if (format === "" || format === "text") return undefined;
  if (format === "json") return (value) => `${JSON.stringify(value, undefined, 4)}\n`;
  if (format === "yaml") return printYaml;
  if (format.startsWith(pathPrefix)) return printPaths(format.slice(pathPrefix.length));
  throw new Error(
    `invalid output format ${JSON.stringify(format.slice(0, 100))}, allowed formats: text, json, yaml, jsonpath=TEMPLATE`,
  );
}

/** `{.token}{"\t"}{.usages[*]}`: text, and paths and quoted texts between braces. */
function printPaths(template: string): PrintAs {
  const parts = template.split("{").map((part, i): string | readonly [FindAll | string, string] => {
    if (i === 0) return part;
    const end = closingBrace(part);
    const inside = part.slice(0, end).trim();
    if (end < 0) throw new Error(`jsonpath: unclosed action in ${JSON.stringify(template.slice(0, 100))}`);
    return [expression(inside), part.slice(end + 1)];
  });
  return (value) =>
    parts
      .map((part) => {
        if (typeof part === "string") return part;
        const [what, behind] = part;
        return (typeof what === "string" ? what : [...what(value)].map(shown).join(" ")) + behind;
      })
      .join("");
}

/** The brace that ends an expression, and stands in no text of it. */
function closingBrace(part: string): number {
  let quote = "";
  for (let i = 0; i < part.length; i++) {
    const sign = part[i] ?? "";
    if (quote === "" && sign === "}") return i;
    if (quote === "" && (sign === '"' || sign === "'")) quote = sign;
    else if (sign === "\\") i += 1;
    else if (sign === quote) quote = "";
  }
  return -1;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function expression(text: string): FindAll | string {
  const [first = ""] = text;
  if (text.length >= 2 && (first === '"' || first === "'") && text.endsWith(first)) {
    return text.slice(1, -1).replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
  }
  const path = parseJsonPaths(text.startsWith("$") ? text.slice(1) : text);
  if (path === undefined) throw new Error(`jsonpath: ${JSON.stringify(text.slice(0, 100))} is no path`);
  return path;
}

const shown = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
