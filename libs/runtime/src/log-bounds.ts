/** Characters that are kept of the beginning and of the end of a text: of an error's stack its frames are the end. */
const [keptFirst, keptLast] = [3072, 1024];
/** Values that are kept of a list or an object, and levels that are looked into. */
const [maxValues, maxDepth] = [32, 4];

/** What a log line keeps of a text. */
export function boundedText(text: string): string {
  const left = text.length - keptFirst - keptLast;
  return left <= 0 ? text : `${text.slice(0, keptFirst)}… (${left} characters) …${text.slice(-keptLast)}`;
}

/**
 * What a log line keeps of its fields. Some are a client's choice, a path or a name, and an error quotes what it met:
 * none of them may fill the disk, or the memory on the way there.
 */
export function boundedFields(fields: object): Record<string, unknown> {
  return entriesOf(fields, maxDepth);
}

function bounded(value: unknown, depth: number): unknown {
  if (typeof value === "string") return boundedText(value);
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  if (depth === 0) return "…";
  if (!Array.isArray(value)) return entriesOf(value, depth);
  const kept = value.slice(0, maxValues).map((each) => bounded(each, depth - 1));
  return value.length > maxValues ? [...kept, `… (${value.length - maxValues} more)`] : kept;
}

function entriesOf(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value);
  const kept = entries.slice(0, maxValues).map(([name, each]) => [boundedText(name), bounded(each, depth - 1)]);
  if (entries.length > maxValues) kept.push(["…", `${entries.length - maxValues} more`]);
  return Object.fromEntries(kept);
}
