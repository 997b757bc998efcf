import { parseQuantity } from "@orch/schema/formats/quantity.js";
import { readJson } from "@orch/status/read-json.js";

/**
 * What a field is compared by: truth values come first, then numbers and quantities (`100m` < `1` < `1Ki`), then times, then other
 * texts by their UTF-16 units, of which 256 count. Undefined where the object has no such field, or a list or a map there: that comes last.
 */
export type SortValue =
  | { readonly rank: 0 | 1 | 2; readonly at: number | bigint }
  | { readonly rank: 3; readonly at: string }
  | undefined;

const [ofTruth, ofNumber, ofTime, ofText] = [0, 1, 2, 3] as const;
/** Longer texts are neither quantities nor times. */
const longestNumber = 64;
/** Of longer texts the rest does not count: they are kept for as long as their list is, which may have many. */
export const longestText = 256;
/** The units of quantities: a number is compared with them in billionths. */
const nano = 1e9;

// Of fixed length but for the fraction, which is bounded by the text's own bound.
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Of a value's JSON. */
export function sortValue(json: string): SortValue {
  const first = json[0];
  if (first === '"') return ofString(json);
  if (first === "t" || first === "f") return { rank: ofTruth, at: first === "t" ? 1 : 0 };
  if (first === undefined || first === "{" || first === "[" || first === "n") return undefined;
  const number = Number(json);
  return { rank: ofNumber, at: Number.isSafeInteger(number) ? BigInt(number) * BigInt(nano) : number * nano };
}

function ofString(json: string): SortValue {
  const text: string = readJson(json);
  if (text.length <= longestNumber) {
    const match = time.exec(text);
    if (match !== null) return { rank: ofTime, at: timeOf(text, match[1] ?? "") };
    const quantity = parseQuantity(text);
    if (typeof quantity !== "string") return { rank: ofNumber, at: quantity.nano };
  }
  return { rank: ofText, at: text.length > longestText ? beginOf(text) : text };
}

/** A copy: a slice would keep the whole text. */
function beginOf(text: string): string {
  return Buffer.from(text.slice(0, longestText), "utf16le").toString("utf16le");
}

/** Nanoseconds since 1970; what is no time in the calendar comes first. */
function timeOf(text: string, fraction: string): bigint {
  const seconds = Date.parse(`${text.slice(0, "2000-01-01T00:00:00".length)}Z`);
  if (Number.isNaN(seconds)) return -(2n ** 63n);
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.slice(1, 10).padEnd(9, "0"));
}

/** Negative where `a` comes before `b` in ascending order; both are there. */
export function compareValues(a: NonNullable<SortValue>, b: NonNullable<SortValue>): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}
