interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Of two texts that are compared: a table as large as their product is made. */
const mostLines = 4000;

export interface DiffNames {
  readonly before: string;
  readonly after: string;
  /** Lines shown around each change. */
  readonly context: number;
}

/** How one text differs from another, in unified form; empty where it does not. @throws Error for texts of too many lines */
export function unifiedDiff(before: string, after: string, { context, ...names }: DiffNames): string {
  if (before === after) return "";
  const lines = compare(linesOf(before), linesOf(after));
  const shown = hunks(lines, context).map((hunk) => hunkText(lines, hunk));
  return `--- ${names.before}\n+++ ${names.after}\n${shown.join("")}`;
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** By the longest common sequence of lines. */
function compare(a: readonly string[], b: readonly string[]): readonly Line[] {
  if (a.length > mostLines || b.length > mostLines) throw new Error(`more than ${mostLines} lines cannot be compared`);
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ sign: " ", text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: "-", text: left });
      i += 1;
    } else {
      lines.push({ sign: "+", text: right ?? "" });
      j += 1;
    }
  }
  return lines;
}

interface Hunk {
  readonly from: number;
  /** Behind its last line. */
  readonly to: number;
}

/** Parts around changes; those that meet are one. */
function hunks(lines: readonly Line[], context: number): readonly Hunk[] {
  const found: Hunk[] = [];
  for (const [i, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const next = { from: Math.max(0, i - context), to: Math.min(lines.length, i + context + 1) };
    const last = found.at(-1);
    if (last === undefined || next.from > last.to) found.push(next);
    else found[found.length - 1] = { from: last.from, to: next.to };
  }
  return found;
}

function hunkText(lines: readonly Line[], { from, to }: Hunk): string {
  const count = (sign: "-" | "+", part: readonly Line[]): number =>
    part.filter((line) => line.sign === " " || line.sign === sign).length;
  const [ahead, part] = [lines.slice(0, from), lines.slice(from, to)];
  const place = (sign: "-" | "+"): string => {
    const length = count(sign, part);
    // A part without lines stands behind the line before it.
    const start = count(sign, ahead) + (length === 0 ? 0 : 1);
    return `${sign}${start}${length === 1 ? "" : `,${length}`}`;
  };
  return `@@ ${place("-")} ${place("+")} @@\n${part.map(({ sign, text }) => `${sign}${text}\n`).join("")}`;
}
