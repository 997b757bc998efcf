/**
 * A value as JSON. Integers that a number cannot hold are bigints in our trees, which `JSON.stringify` refuses: only
 * then is the text made here, so that every other value costs what it did. `indent` is the spaces of a level.
 */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return (indent === 0 ? JSON.stringify(value) : JSON.stringify(value, null, indent)) ?? "null";
  } catch (error) {
    // What the text cannot be made of otherwise (a cycle) ends here, too.
    if (!(error instanceof TypeError)) throw error;
    return exactText(value, indent === 0 ? undefined : { unit: " ".repeat(indent), line: "\n" });
  }
}

interface Layout {
  readonly unit: string;
  /** A line's end and the indentation of the present level. */
  readonly line: string;
}

function exactText(value: unknown, layout: Layout | undefined): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = layout && { ...layout, line: layout.line + layout.unit };
  if (Array.isArray(value)) {
    return around(["[", "]"], [...value.map((item: unknown) => exactText(item, inner))], layout);
  }
  const colon = layout === undefined ? ":" : ": ";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return around(
    ["{", "}"],
    entries.map(([name, item]) => `${JSON.stringify(name)}${colon}${exactText(item, inner)}`),
    layout,
  );
}

function around(
  [open, close]: readonly [string, string],
  parts: readonly string[],
  layout: Layout | undefined,
): string {
  if (layout === undefined || parts.length === 0) return `${open}${parts.join(",")}${close}`;
  const { line, unit } = layout;
  return `${open}${line}${unit}${parts.join(`,${line}${unit}`)}${line}${close}`;
}
