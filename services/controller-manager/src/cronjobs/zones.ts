/** How far the clocks of a time zone are ahead of UTC, in milliseconds, at a moment since 1970. */
export type OffsetAt = (ms: number) => number;

/** By the name of a zone; undefined for one that nobody knows. */
export type Zones = (name: string) => OffsetAt | undefined;

const most = 1_000;

export function createZones(): Zones {
  const known = new Map<string, OffsetAt | undefined>();
  return (name) => {
    if (name === "UTC" || name === "Etc/UTC") return () => 0;
    const found = known.get(name);
    if (found !== undefined || known.has(name)) return found;
    if (known.size >= most) known.clear();
    const offsetAt = offsetsOf(name);
    known.set(name, offsetAt);
    return offsetAt;
  };
}

const offset = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function offsetsOf(timeZone: string): OffsetAt | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  return (ms) => {
    const text = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = offset.exec(text) ?? [];
    const ahead = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return sign === "-" ? -ahead : ahead;
  };
}
