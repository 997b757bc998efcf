import type { Integer64 } from "@orch/schema/integer64.js";
import type { AnyObject, ApiObject } from "../object.js";

export type Plain = string | Integer64 | boolean | null;

/** A text with the time since an instant in it: `3 (5m ago)` is `3 (`, the time since, ` ago)`. */
export interface Age {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly before: string;
  readonly after: string;
}

/** What a table shows of an object: a value, or an age that is told when it is printed. */
export type Cell = Plain | Age;

export function isAge(cell: Cell): cell is Age {
  return typeof cell === "object" && cell !== null;
}

export type CellFunction<T extends ApiObject = ApiObject> = (object: T) => Cell;

/** Makes a cell function; `words` are the column's, in the dialect in force. */
export type CellOf = (words: readonly string[]) => CellFunction;

/** Cell functions by the names that data files call them. */
export type Cells = readonly (readonly [name: string, cell: CellOf])[];

/** A function written for its own object type, as the registry keeps it. */
export function cell<T extends ApiObject>(of: CellFunction<T>): CellOf {
  return cellWith<T>(() => of);
}

/** {@link cell} for a function that needs its column's words. */
export function cellWith<T extends ApiObject>(make: (words: readonly string[]) => CellFunction<T>): CellOf {
  // Only objects of the kind whose data file names the function reach it.
  return make as unknown as CellOf;
}

export const unknown = "<unknown>";
export const none = "<none>";
export const unset = "<unset>";

interface AgeOptions {
  /** Where there is no time. */
  readonly or?: string;
  readonly before?: string;
  readonly after?: string;
}

/** The time since `time` (RFC 3339). */
export function age(time: string | undefined, { or = unknown, before = "", after = "" }: AgeOptions = {}): Cell {
  const since = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(since) ? or : { since, before, after };
}

/** At most `most` of the texts, and how many more there are: `a,b,c + 2 more...`. */
export function firstOf(texts: readonly string[], most: number, separator = ","): string {
  const shown = texts.slice(0, most).join(separator);
  return texts.length > most ? `${shown} + ${texts.length - most} more...` : shown;
}

/** What a table says of a row as a whole: `Completed` for what has run and will not run again. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export type RowConditionsOf = (object: AnyObject) => readonly RowCondition[];
