/** The Prometheus text format, version 0.0.4: one family is a help line, a type line and its samples. */
export interface Sample {
  /** `_bucket`, `_sum`, `_count` of a histogram; empty otherwise. */
  readonly suffix: string;
  /** `code="200",verb="GET"`; empty where there are no labels. */
  readonly labels: string;
  readonly value: number;
}

/**
 * How the values of one series in several processes become one: their sum; the highest of those that run (`max`); the
 * highest that any of them ever had, for what is true of all or stays true (`ever`); that of the first process (`first`).
 */
export type Join = "sum" | "max" | "ever" | "first";

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: Iterable<Sample>;
  /** How values of several processes become one. */
  readonly join: Join;
}

export const textContentType = "text/plain; version=0.0.4; charset=utf-8";

/** The body of `/metrics`. */
export const pageText = (families: readonly Family[]): string => families.map(familyText).join("");

function familyText(family: Family): string {
  const lines = [`# HELP ${family.name} ${escapeHelp(family.help)}`, `# TYPE ${family.name} ${family.type}`];
  for (const { suffix, labels, value } of family.samples) {
    lines.push(`${family.name}${suffix}${labels === "" ? "" : `{${labels}}`} ${numberText(value)}`);
  }
  return `${lines.join("\n")}\n`;
}

export function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, i) => `${name}="${escapeLabel(values[i] ?? "")}"`).join(",");
}

export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');
