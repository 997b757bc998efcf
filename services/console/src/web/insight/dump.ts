/** A table of text: names in its first line, columns between commas, padded with blanks. */
export interface Dump {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function parseDump(text: string): Dump {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  const cells = (line: string): readonly string[] => line.split(",").map((cell) => cell.trim());
  return { heads: cells(first), rows: rest.map(cells) };
}

/** A column of a row, by its name; `""` where there is none. */
export function cellOf({ heads }: Pick<Dump, "heads">, row: readonly string[], name: string): string {
  return row[heads.indexOf(name)] ?? "";
}
