/** Of a request that came with a trace's context (W3C Trace Context, level 1). */
export interface Context {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
  readonly sampled: boolean;
}

/** version "-" trace-id "-" parent-id "-" flags: `00-<32>-<16>-<2>` */
const [traceAt, spanAt, flagsAt, length] = [3, 36, 53, 55];
const noTrace = "0".repeat(32);
const noSpan = "0".repeat(16);
/** As much as everybody must be able to pass on. */
const longestState = 512;

/** Undefined where the header is absent, or says nothing that can be relied on: a trace begins here then. */
export function readTraceparent(header: string | undefined): Context | undefined {
  if (header === undefined || header.length < length) return undefined;
  const version = header.slice(0, 2);
  if (!isHex(version) || version === "ff") return undefined;
  // Later versions may have more behind; this one has nothing.
  if (header.length > length && (version === "00" || header[length] !== "-")) return undefined;
  if (header[2] !== "-" || header[spanAt - 1] !== "-" || header[flagsAt - 1] !== "-") return undefined;
  const traceId = header.slice(traceAt, spanAt - 1);
  const spanId = header.slice(spanAt, flagsAt - 1);
  const flags = header.slice(flagsAt, length);
  if (!isHex(traceId) || !isHex(spanId) || !isHex(flags)) return undefined;
  if (traceId === noTrace || spanId === noSpan) return undefined;
  const bits = Number.parseInt(flags, 16);
  return { traceId, spanId, flags: bits, sampled: (bits & 1) === 1 };
}

export function printTraceparent({ traceId, spanId }: Pick<Context, "traceId" | "spanId">, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/** The state as it is passed on: "" for one that is too long, or has characters that no header has. */
export function readTracestate(header: string | undefined): string {
  if (header === undefined || header.length > longestState) return "";
  for (let i = 0; i < header.length; i++) {
    const code = header.charCodeAt(i);
    if ((code < 0x20 || code > 0x7e) && code !== 0x09) return "";
  }
  return header;
}

/** Lower case alone, as the specification has it. */
function isHex(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66))) return false;
  }
  return text.length > 0;
}
