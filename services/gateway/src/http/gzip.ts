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

/** How a body of gzip begins, and no other one that this server sends. */
export function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** What a client says of gzip, or of everything that it does not name (RFC 9110, section 12.5.3). */
export function acceptsGzip(accepted: string | undefined): boolean {
  if (accepted === undefined || accepted === "") return false;
  const weights = new Map(accepted.split(",").map(codingAndWeight));
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

function codingAndWeight(text: string): readonly [coding: string, weight: number] {
  const [coding = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}

/** Documents below this are sent as they are: a packet takes them. */
export const documentGzipFrom = 1400;

/**
 * Documents that stay the same while the process runs, each compressed once, off the event loop, when it is first asked
 * for, as well as it goes: most who ask for it get what is kept.
 */
export interface KeptGzip {
  /** `key` is another one for other bytes. At once where it is kept. */
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
