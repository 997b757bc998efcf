/** A text of an expression, its lines, and the display of an error in it. */
export interface Location {
  /** From 1; -1 where the error belongs to no place. */
  readonly line: number;
  /** From 0, in code points. */
  readonly column: number;
}

export interface Issue {
  readonly at: Location;
  readonly message: string;
}

export const nowhere: Location = { line: -1, column: -1 };

/** Of what could not be read and has no place of its own. */
const beforeText: Location = { line: 1, column: -1 };

/** More than this many errors are counted, not told. */
const issuesReported = 100;

/** A line longer than this many bytes is not shown beneath its error. */
const snippetBytes = 16_384;

/** Where UTF-16 offset `offset` of `text` is. */
export function locate(text: string, offset: number): Location {
  if (offset < 0) return beforeText;
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: codePoints(text, start, offset) };
}

/** Code points of `text` between two UTF-16 offsets. */
export function codePoints(text: string, start = 0, end = text.length): number {
  let count = end - start;
  for (let i = start; i < end - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count -= 1;
    i += 1;
  }
  return count;
}

/** The errors of a text as people read them, in the order of their places. */
export function display(text: string, issues: readonly Issue[]): string {
  const told = issues.slice(0, issuesReported);
  told.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  const lines = told.map((issue) => displayOne(text, issue));
  if (issues.length > issuesReported) lines.push(`${issues.length - issuesReported} more errors were truncated`);
  return lines.join("\n");
}

function displayOne(text: string, { at, message }: Issue): string {
  const head = `ERROR: <input>:${at.line}:${at.column + 1}: ${message}`;
  const snippet = lineOf(text, at.line);
  if (snippet === undefined || Buffer.byteLength(snippet) > snippetBytes) return head;
  const shown = snippet.replaceAll("\t", " ");
  const points = Array.from(shown);
  let caret = "";
  for (let i = 0; i < at.column && i < points.length; i++) caret += isWide(points[i]) ? "\uff0e" : ".";
  return `${head}\n | ${shown}\n | ${caret}${isWide(points[at.column]) ? "\uff3e" : "^"}`;
}

function isWide(point: string | undefined): boolean {
  return point !== undefined && (point.codePointAt(0) ?? 0) > 0x7f;
}

function lineOf(text: string, line: number): string | undefined {
  if (line < 1 || text === "") return undefined;
  let start = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf("\n", start);
    if (end === -1) return undefined;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? undefined : end);
}
