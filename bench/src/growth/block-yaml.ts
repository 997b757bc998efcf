import { isObject } from "@orch/schema/descriptor.js";

/** A tree as YAML of lines and indents, its scalars as JSON has them: quickly, since nobody measures the client. */
export function blockYaml(value: unknown): string {
  const lines: string[] = [];
  write(value, "", lines);
  return `${lines.join("\n")}\n`;
}

function write(value: unknown, indent: string, lines: string[]): void {
  for (const [mark, inner] of membersOf(value)) {
    const hasLines = (Array.isArray(inner) && inner.length > 0) || (isObject(inner) && Object.keys(inner).length > 0);
    lines.push(hasLines ? `${indent}${mark}` : `${indent}${mark} ${JSON.stringify(inner)}`);
    if (hasLines) write(inner, `${indent}  `, lines);
  }
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown) => ["-", item] as const);
  return Object.entries(Object(value)).map(([key, item]) => [`${JSON.stringify(key)}:`, item] as const);
}
