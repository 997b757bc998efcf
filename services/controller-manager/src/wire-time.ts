/** A moment, in milliseconds since 1970, as the API writes it: RFC 3339, UTC, whole seconds. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, "");
}
