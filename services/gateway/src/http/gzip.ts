import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { HeaderList } from "./response.js";

/** Bodies below this are sent as they are (rules: Media types and headers; the reference's threshold). */
export const gzipFrom = 128 * 1024;

export const gzipHeaders: HeaderList = ["Content-Encoding", "gzip", "Vary", "Accept-Encoding"];

const options = { level: constants.Z_BEST_SPEED };
const compress = promisify<Buffer, typeof options, Buffer>(gzip);

export function gzipped(body: Buffer): Promise<Buffer> {
  return compress(body, options);
}

/** Whether a body is gzip: no other body that this server sends begins with these bytes. */
export function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** Whether a client accepts gzip, by name or by `*` (RFC 9110, section 12.5.3). */
export function acceptsGzip(accepted: string | undefined): boolean {
  return acceptsCoding(accepted, "gzip");
}

/** Whether a client accepts a coding, by name or by `*`. */
export function acceptsCoding(accepted: string | undefined, coding: string): boolean {
  if (accepted === undefined || accepted === "") return false;
  const weights = new Map(accepted.split(",").map(codingAndWeight));
  return (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
}

function codingAndWeight(text: string): readonly [coding: string, weight: number] {
  const [coding = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}

/** Smaller documents are sent uncompressed: they fit into one packet. */
export const documentGzipFrom = 1400;

/**
 * Compresses each document once, off the event loop and at the best level, when it is first asked for, and keeps the
 * result: most requests get what is kept.
 */
export interface KeptGzip {
  /** `key` must differ for different bytes. Answers at once where the result is kept. */
  of(key: string, body: () => Buffer): Buffer | Promise<Buffer>;
}

/** All documents of OpenAPI in both forms take less than 2 MiB. */
const keptBytes = 16 * 1024 * 1024;

export function createKeptGzip(): KeptGzip {
  const kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: (body) => body.length });
  const underWay = new Map<string, Promise<Buffer>>();
  const made = (key: string, body: () => Buffer): Promise<Buffer> => {
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const making = compressWell(body())
      .then((small) => {
        kept.set(key, small);
        return small;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, making);
    return making;
  };
  return { of: (key, body) => kept.get(key) ?? made(key, body) };
}

const compressWell = promisify<Buffer, Buffer>(gzip);
