/** A moment, in milliseconds since 1970, as the API writes it: RFC 3339, UTC, whole seconds. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, "");
}

/** The same to the microsecond, as Leases and Events tell times: `2026-01-02T03:04:05.678000Z`. */
export function wireMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
