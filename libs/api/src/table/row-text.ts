import { jsonText } from "@orch/status/json-text.js";
import { type Cell, isAge, type Plain, type RowCondition } from "./cell.js";
import { humanDuration, untilOtherwise } from "./human-duration.js";

export interface Row {
  readonly cells: readonly Cell[];
  readonly conditions: readonly RowCondition[];
}

/**
 * A row printed but for its ages, which stand between the fragments; the row's object is to follow.
 *
 *     {"cells":["a","1/1","Running","3 (  5m   ago)","  8d  ","10.0.0.1"],"object":
 *     ^fragments[0]                       ^since[0]   ^[1]  ^since[1] ^[2]
 */
export interface RowText {
  /** One more than `since`. */
  readonly fragments: readonly string[];
  /** Milliseconds since 1970. */
  readonly since: readonly number[];
}

export function rowText({ cells, conditions }: Row): RowText {
  const fragments: string[] = [];
  const since: number[] = [];
  let text = '{"cells":[';
  for (const [i, cell] of cells.entries()) {
    if (i > 0) text += ",";
    if (isAge(cell)) {
      fragments.push(text + JSON.stringify(cell.before).slice(0, -1));
      since.push(cell.since);
      text = JSON.stringify(cell.after).slice(1);
    } else text += jsonText(cell);
  }
  const after = conditions.length === 0 ? "" : `,"conditions":${JSON.stringify(conditions)}`;
  fragments.push(`${text}]${after},"object":`);
  return { fragments, since };
}

/**
 * The row as JSON up to its object: the caller appends the object (whole, its metadata, or `null`) and `}`.
 * `now` is in milliseconds since 1970.
 */
export function printRow({ fragments, since }: RowText, now: number): string {
  let text = fragments[0] ?? "";
  for (let i = 0; i < since.length; i++) text += humanDuration(now - (since[i] ?? 0)) + (fragments[i + 1] ?? "");
  return text;
}

/** The instant from which {@link printRow} gives another text than at `now`; Infinity for a row without ages. */
export function printedUntil({ since }: RowText, now: number): number {
  let until = Number.POSITIVE_INFINITY;
  for (const instant of since) until = Math.min(until, now + untilOtherwise(now - instant));
  return until;
}

/** The cells as values, for encodings other than JSON. */
export function cellsAt({ cells }: Row, now: number): readonly Plain[] {
  return cells.map((cell) => (isAge(cell) ? cell.before + humanDuration(now - cell.since) + cell.after : cell));
}
